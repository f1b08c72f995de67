/** Runs the embedded cloud in a process of its own, for tests that kill it: `node start-cloud.ts DATADIR ASSEMBLY`. */
import { startEmbeddedCloud } from '#local/runtime/embedded-cloud.ts'

const [, , dataDir = '', assembly = ''] = process.argv
await startEmbeddedCloud({ dataDir, assembly })
process.stdout.write('ready\n')
