import { startEmbeddedCloud } from '../../local/runtime/embedded-cloud.ts'

/**
 * A cloud as a process of its own, to be killed: `node run-cloud.ts DATADIR CONTEXT [BUNDLES]`, the context as JSON. Prints where it is
 * as one line of JSON when it is ready.
 */
const [dataDir = '', context = '{}', bundles] = process.argv.slice(2)
const cloud = await startEmbeddedCloud({
  dataDir,
  context: JSON.parse(context),
  ...(bundles !== undefined && { bundles }),
})
console.log(JSON.stringify(cloud))
