import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Scratch folder of previews. */
export const previewScratch = join(tmpdir(), 'millrace-previews')
