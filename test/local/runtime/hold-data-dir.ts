/** Holds a data directory until it is killed: `node hold-data-dir.ts DATADIR`. */
import { openDataDir } from '#local/runtime/data-dir.ts'

const [, , dataDir = ''] = process.argv
await openDataDir(dataDir, { log: () => {} })
process.stdout.write('held\n')
setInterval(() => {}, 60_000)
