import { mkdirSync } from 'node:fs'
import { bundleFunctions } from './bundle.ts'

/* `node infra/kept-bundles.ts FOLDER`: bundles every function for this machine into the folder, which is made. */
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('The folder is missing')
mkdirSync(folder)
await bundleFunctions({ runsOn: 'this-machine', root: folder })
