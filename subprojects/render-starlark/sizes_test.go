package main

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tronbyt/pixlet/render/animation"
)

const tenPixels = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGM4wcWFBzGMSmNDAFbKVfFFF72WAAAAAElFTkSuQmCC"

func imageLine(file []byte, size string) string {
	return "render.Image(src = base64.decode(\"" + base64.StdEncoding.EncodeToString(file) + "\")" + size + ")"
}

// Sizes that take all memory at once would end the process, and no line would be named.
func TestSizesThatTakeTooMuchHaveTheirLine(t *testing.T) {
	ten, _ := base64.StdEncoding.DecodeString(tenPixels)
	var photo bytes.Buffer
	require.NoError(t, png.Encode(&photo, image.NewRGBA(image.Rect(0, 0, 6000, 6000))))
	for widget, message := range map[string]string{
		imageLine(ten, ", width = 60000, height = 60000"): "a picture of 60000 x 60000 pixels would take more than 96 MiB of memory",
		imageLine(ten, ", width = 60000"):                 "a picture of 60000 x 60000 pixels would take more than 96 MiB of memory",
		imageLine(ten, ", height = 60000"):                "a picture of 60000 x 60000 pixels would take more than 96 MiB of memory",
		imageLine(photo.Bytes(), ", width = 64"):          "a picture of 6000 x 6000 pixels would take more than 96 MiB of memory",
		imageLine(hugePNG(), ""):                          "a picture of 60000 x 60000 pixels would take more than 96 MiB of memory",
		"render.Text('x' * 10000000)":                     "content has 10000000 bytes, which would take more than 96 MiB of memory",
		"render.WrappedText(content = 'x ' * 3000000)":    "content has 6000000 bytes, which would take more than 96 MiB of memory",
	} {
		a, _ := startProcess(t).ask(t, testRequest(), loadRender+"load(\"encoding/base64.star\", \"base64\")\ndef main():\n"+
			"    return render.Root(child =\n        "+widget+")\n")
		require.NotNil(t, a, widget)
		require.NotNil(t, a.Error, widget)
		assert.Equal(t, message, a.Error.Message)
		assert.Equal(t, 5, a.Error.Line)
	}
	for _, widget := range []string{
		imageLine(ten, ", width = 4000, height = 4000"), imageLine(ten, ", width = 0, height = 0"), "render.Text('x' * 100000)",
	} {
		a, _ := startProcess(t).ask(t, testRequest(), loadRender+"load(\"encoding/base64.star\", \"base64\")\ndef main():\n"+
			"    return render.Root(child = "+widget+")\n")
		require.NotNil(t, a, widget)
		require.Nil(t, a.Error, widget)
	}
}

// A form beyond any frame is an error of the script, and not the process's end.
func TestFormsThatAreTooLargeSaySo(t *testing.T) {
	const app = `load("schema.star", "schema")
def main():
    return []
def get_schema():
    return schema.Schema(version = "1", fields = [schema.Dropdown(id = "a", name = "A", desc = "d", icon = "x", default = "0",
        options = [schema.Option(display = "x" * 100, value = str(i)) for i in range(%d)])])
`
	for _, count := range []string{"40000", "50000"} {
		r := testRequest()
		r.What = whatSchema
		a, _ := startProcess(t).ask(t, r, strings.Replace(app, "%d", count, 1))
		require.NotNil(t, a, count)
		require.NotNil(t, a.Error, count)
		assert.Equal(t, problemLimit, a.Error.Kind)
		assert.Regexp(t, "^the schema is too large: [0-9]{7,8} bytes, maximum 4194304$", a.Error.Message)
		assert.Empty(t, a.Schema)
	}
}

func scaled(transforms, until string) string {
	return "animation.Transformation(duration = 20, width = 64, height = 32, keyframes = [\n" +
		"animation.Keyframe(percentage = 0.0, transforms = [" + transforms + "]),\n" +
		"animation.Keyframe(percentage = 1.0, transforms = [" + until + "])], child = render.Image(src = base64.decode(\"" + tenPixels + "\")))"
}

func scaleApp(widget string) string {
	return loadRender + "load(\"animation.star\", \"animation\")\nload(\"encoding/base64.star\", \"base64\")\n" +
		"def main():\n    return render.Root(child = " + widget + ")\n"
}

// The least scale that can be painted shows nothing, and so do smaller ones.
// A list in the middle is extended towards each neighbour by that neighbour's types.
func TestListsOfOtherTypesAreExtendedByTheLibrary(t *testing.T) {
	move, turn := animation.Translate{}, animation.Rotate{}
	for _, lists := range [][][]animation.Transform{
		{{move}, {}, {turn}},
		{{move}, {move, turn}, {move, animation.Scale{}, animation.Shear{}}},
		{{animation.Scale{}}, {turn}},
	} {
		var keyframes []animation.Keyframe
		for _, list := range lists {
			keyframes = append(keyframes, animation.Keyframe{Transforms: list})
		}
		boundScales(keyframes)
		for i, list := range lists {
			assert.Equal(t, list, keyframes[i].Transforms)
		}
	}
}

func TestScalesThatAreSmallShowNothing(t *testing.T) {
	p := startProcess(t)
	_, want := p.ask(t, testRequest(), scaleApp(scaled("animation.Scale(0.000001, 1.0)", "animation.Scale(1.0, 1.0)")))
	require.NotEmpty(t, want)
	for _, factor := range []string{"0.0000001", "0.00000001", "1e-9", "1e-10", "1e-14", "1e-100", "1e-320", "-1e-10"} {
		a, blob := p.ask(t, testRequest(), scaleApp(scaled("animation.Scale("+factor+", 1.0)", "animation.Scale(1.0, 1.0)")))
		require.NotNil(t, a, factor)
		require.Nil(t, a.Error, factor)
		requireSameMovie(t, want, blob)
	}
	for _, widget := range []string{
		scaled("animation.Scale(1.0, 1e-10)", "animation.Scale(1.0, 1.0)"),
		scaled("animation.Scale(1e-10, 1e-10)", "animation.Scale(1e-10, 1e-10)"),
		scaled("animation.Scale(1e-5, 1.0), animation.Scale(1e-5, 1.0)", "animation.Scale(1.0, 1.0)"),
		scaled("animation.Scale(-1.0, 1.0)", "animation.Scale(1.0, 1.0)"),
		scaled("animation.Scale(-0.3, 0.7)", "animation.Scale(0.7, -0.3)"),
		scaled("", "animation.Translate(1, 1), animation.Scale(1e-12, 1.0)"),
		scaled("animation.Rotate(45), animation.Scale(1e-12, 1.0)", ""),
		"animation.Transformation(duration = 5, keyframes = [animation.Keyframe(percentage = 0.0, transforms = [animation.Scale(1e-5, 1e-5)])], child = " +
			scaled("animation.Scale(1e-5, 1e-5)", "animation.Scale(1.0, 1.0)") + ")",
	} {
		a, blob := p.ask(t, testRequest(), scaleApp(widget))
		require.NotNil(t, a, widget)
		require.Nil(t, a.Error, widget)
		require.NotEmpty(t, blob)
	}
}
