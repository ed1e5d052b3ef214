import path from "node:path";
import tseslint from "typescript-eslint";

// The project that has the generated types; check.py makes it in the build directory.
const project = process.env.WEBAPP_PROJECT ?? "tsconfig.json";

export default tseslint.config(
	{ ignores: ["*.js", "*.mjs", "node_modules"] },
	...tseslint.configs.strictTypeChecked,
	...tseslint.configs.stylisticTypeChecked,
	{
		languageOptions: {
			parserOptions: { project: path.resolve(project), tsconfigRootDir: import.meta.dirname },
		},
		rules: {
			"@typescript-eslint/consistent-type-definitions": "error",
			"@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
			"@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
			"max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
			"max-lines": ["error", 500],
			eqeqeq: "error",
		},
	},
);
