import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCatalogue } from './error-catalogue.ts'

writeFileSync(join(import.meta.dirname, '../../../docs/errors.md'), errorCatalogue())
