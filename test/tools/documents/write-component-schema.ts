import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { extractorParametersSchema } from './component-schema.ts'

/** Writes the schema into the component's file in the catalogue, formatted as all files are. */
const root = join(import.meta.dirname, '../../..')
const file = join(root, 'functions/storage-api/components/ex-generic-v2.json')
const component = z.looseObject({}).parse(JSON.parse(readFileSync(file, 'utf8')))
writeFileSync(
  file,
  JSON.stringify({ ...component, configurationSchema: extractorParametersSchema() }, null, 2),
)
execFileSync(
  process.execPath,
  [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'format', '--write', file],
  {
    cwd: root,
  },
)
