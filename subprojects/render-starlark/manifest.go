package main

import (
	"testing/fstest"

	"gopkg.in/yaml.v3"
)

const maxIntervalMinutes = 7 * 24 * 60

// intervalS is how often the app's author wants it to be rendered, in seconds, as the manifest says;
// 0 where it says nothing.
func intervalS(files fstest.MapFS) int {
	file := files["manifest.yaml"]
	if file == nil {
		return 0
	}
	var manifest struct {
		Minutes    int `yaml:"recommendedInterval"`
		MinutesToo int `yaml:"recommended_interval"`
	}
	if yaml.Unmarshal(file.Data, &manifest) != nil {
		return 0
	}
	minutes := max(manifest.Minutes, manifest.MinutesToo)
	return min(max(minutes, 0), maxIntervalMinutes) * 60
}
