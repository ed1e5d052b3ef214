package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// appsFolder returns the folder of community apps, each with the picture that the library has made
// of it (NAME/app, NAME/picture.webp). It lies beside the project, or at DISPLAYD_APPS.
func appsFolder() string {
	if folder := os.Getenv("DISPLAYD_APPS"); folder != "" {
		return folder
	}
	return "../../../shared/apps"
}

func TestPicturesOfTheLibrary(t *testing.T) {
	folder := appsFolder()
	pictures, err := filepath.Glob(filepath.Join(folder, "*", "picture.webp"))
	require.NoError(t, err)
	if len(pictures) == 0 {
		t.Skip("no apps in " + folder)
	}
	for _, path := range pictures {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			_, got := mustServe(t, testRequest(), packFolder(t, filepath.Join(filepath.Dir(path), "app")))
			requireSameMovie(t, want, got)
		})
	}
}
