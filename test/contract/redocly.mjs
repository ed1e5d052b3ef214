// Prints what Redocly's recommended rules find in an OpenAPI document: redocly.mjs DOCUMENT
import { createRequire } from "node:module";

const require = createRequire(process.cwd() + "/");
const { createConfig, lint } = require("@redocly/openapi-core");
const config = await createConfig({ extends: ["recommended"] });
const problems = await lint({ ref: process.argv[2], config });
for (const { severity, ruleId, message, location } of problems)
  console.log(`${severity} ${ruleId}: ${message} ${location[0]?.pointer}`);
process.exitCode = problems.length > 0 ? 1 : 0;
