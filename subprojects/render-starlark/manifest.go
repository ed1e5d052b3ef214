package main

import (
	"testing/fstest"

	"gopkg.in/yaml.v3"
)

const maxIntervalMinutes = 7 * 24 * 60

// intervalS returns the render interval of the manifest in seconds; 0: each turn is rendered; nil:
// the manifest has none.
func intervalS(files fstest.MapFS) *int {
	file := files["manifest.yaml"]
	if file == nil {
		return nil
	}
	var manifest struct {
		Minutes    *int `yaml:"recommendedInterval"`
		MinutesToo *int `yaml:"recommended_interval"`
	}
	if yaml.Unmarshal(file.Data, &manifest) != nil {
		return nil
	}
	minutes := manifest.Minutes
	if minutes == nil || (manifest.MinutesToo != nil && *manifest.MinutesToo > *minutes) {
		minutes = manifest.MinutesToo
	}
	if minutes == nil || *minutes < 0 {
		return nil
	}
	seconds := min(*minutes, maxIntervalMinutes) * 60
	return &seconds
}
