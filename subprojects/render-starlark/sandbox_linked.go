//go:build sandbox

package main

// Compiler and linker flags come from the build, which knows where the sandbox's library is.

// #cgo LDFLAGS: -lsandbox -lseccomp
// #include <sandbox/sandbox.h>
import "C"

import (
	"fmt"
	"os"
	"syscall"
)

// sandboxSum is set by the linker: Go does not notice that the library has changed.
var sandboxSum string

// restrict takes from the process the rights that only its start needed. It returns the active layers
// of the sandbox; without the launcher there are none.
func restrict() (layers string, err error) {
	layers, mode := os.Getenv("SANDBOX_LAYERS"), os.Getenv("SANDBOX")
	if layers == "" {
		return "none", nil
	}
	os.Clearenv()
	if status := C.sandbox_restrict(C.SANDBOX_GO); status == 0 {
		layers += " sealed"
	} else if mode == "required" {
		return "", fmt.Errorf("cannot enter its sandbox: %w", syscall.Errno(-status))
	} else {
		layers += " -sealed"
	}
	return layers, nil
}
