// Prints the Khronos validator's report on a glTF file: node validate_gltf.cjs VALIDATOR_FOLDER FILE
const fs = require("fs");
const path = require("path");
const [folder, file] = process.argv.slice(2);
const validator = require(path.resolve(folder));
const beside = (uri) => new Promise((resolve) => resolve(new Uint8Array(fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri))))));
validator
  .validateBytes(new Uint8Array(fs.readFileSync(file)), { uri: path.basename(file), maxIssues: 100, externalResourceFunction: beside })
  .then((report) => console.log(JSON.stringify(report)), (error) => { console.error(error); process.exitCode = 1; });
