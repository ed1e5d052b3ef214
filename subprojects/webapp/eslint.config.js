import tseslint from "typescript-eslint";

export default tseslint.config(
	{ ignores: ["*.js", "*.mjs", "node_modules"] },
	...tseslint.configs.strictTypeChecked,
	...tseslint.configs.stylisticTypeChecked,
	{
		languageOptions: {
			parserOptions: { project: "tsconfig.json", tsconfigRootDir: import.meta.dirname },
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
