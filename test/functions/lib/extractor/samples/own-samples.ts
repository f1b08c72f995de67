import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { filesIn, type Sample } from './sample.ts'
import { exchange, startScriptedApi } from './scripted-api.ts'

export const ownFolder = resolve(import.meta.dirname, '../../../../samples/extractor')

const description = z.strictObject({
  shows: z.string(),
  now: z.iso.datetime().default('2026-03-01T08:00:00Z'),
  compat: z.boolean().default(false),
  exchanges: z.array(exchange).default([]),
  warnings: z.array(z.string()).default([]),
  error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
})

export interface OwnSample extends Sample {
  shows: string
}

/** The samples of this repository: one folder for each feature of the format. */
export const ownSamples = (): OwnSample[] =>
  readdirSync(ownFolder, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => readSample(name))

const readSample = (name: string): OwnSample => {
  const folder = join(ownFolder, name)
  const readJson = (file: string): unknown => {
    const path = join(folder, file)
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
  }
  const { shows, now, compat, exchanges, warnings, error } = description.parse(readJson('sample.json'))
  return {
    name,
    shows,
    config: readJson('config.json'),
    state: readJson('in/state.json'),
    compat,
    startsAt: Date.parse(now) / 1000,
    startApi: clock => startScriptedApi(exchanges, clock),
    expected: {
      exitCode: error === undefined ? 0 : 1,
      errorCode: error?.code,
      messages: error === undefined ? [] : [error.message],
      warnings,
      files: filesIn(join(folder, 'out/tables')),
      state: readJson('out/state.json'),
    },
  }
}
