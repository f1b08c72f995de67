import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const previewScratch = join(tmpdir(), 'millrace-previews')
