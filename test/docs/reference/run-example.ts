import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { playSample } from '../../functions/lib/extractor/samples/sample.ts'
import { startScriptedApi } from '../../functions/lib/extractor/samples/scripted-api.ts'
import type { Example } from './read-examples.ts'

const startsAt = Date.parse('2026-03-01T08:00:00Z') / 1000

/** Runs an example against an API that answers as it says, and compares requests, tables, state, warnings and error. */
export const runExample = async (example: Example): Promise<void> => {
  const { config, stateBefore: state, exchanges, title: name } = example
  const played = await playSample({
    name,
    config,
    state,
    compat: false,
    startsAt,
    startApi: clock => startScriptedApi(exchanges, clock),
  })
  const said = played.lines.join('\n')
  const error = played.errorCode === undefined ? undefined : `${played.errorCode}: ${played.lines.at(-1)}`
  expect(played.problems, said).toEqual([])
  expect(error, said).toEqual(
    example.error === undefined ? undefined : expect.stringContaining(example.error),
  )
  expect(played.warnings).toEqual(example.warnings.map(part => expect.stringContaining(part)))
  const { tables, manifests } = split(played.files)
  expect(tables).toEqual(mapValues(example.tables, text => rowsOf(text).map(row => row.map(cell))))
  for (const [name, manifest] of Object.entries(example.manifests))
    expect(manifests[name], name).toMatchObject(manifest as object) // JSON of a manifest is an object
  if (example.stateAfter !== undefined) expect(played.state).toMatchObject(example.stateAfter as object) // as above
}

const split = (files: Record<string, string>) => {
  const entries = Object.entries(files)
  const isManifest = ([name]: [string, string]): boolean => name.endsWith('.manifest')
  return {
    tables: Object.fromEntries(
      entries.filter(entry => !isManifest(entry)).map(([name, text]) => [name, rowsOf(text)]),
    ),
    manifests: Object.fromEntries(
      entries
        .filter(isManifest)
        .map(([name, text]): [string, unknown] => [name.replace(/\.manifest$/, ''), JSON.parse(text)]),
    ),
  }
}

const rowsOf = (csv: string): string[][] => parse(csv)

/** `…` at the end of a cell stands for the rest of it. */
const cell = (text: string): unknown =>
  text.endsWith('…') ? expect.stringMatching(`^${RegExp.escape(text.slice(0, -1))}`) : text

const mapValues = <T, U>(values: Record<string, T>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))
