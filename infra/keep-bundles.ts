import { keepBundles } from './kept-bundles.ts'

/* `node infra/keep-bundles.ts FOLDER`: see keepBundles. */
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('The folder is missing')
await keepBundles(folder)
