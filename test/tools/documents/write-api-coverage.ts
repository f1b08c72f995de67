import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { apiCoverage } from './api-coverage.ts'

writeFileSync(join(import.meta.dirname, '../../../docs/api-coverage.md'), apiCoverage())
