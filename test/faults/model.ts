/**
 * What must be true of the service whatever failed, died, came twice or came late. Pure: it is given what was asked and
 * what was found, and says in sentences where the two differ. No sentence: nothing differs.
 */

export type Row = readonly string[]

/** One write to a table, as somebody asked for it. */
export interface Load {
  /** For messages: who asked, or which version of which object. */
  name: string
  /**
   * `full` replaces the table. `incremental` adds rows; in a table with a key each row first removes the one with its
   * key.
   */
  mode: 'full' | 'incremental'
  rows: readonly Row[]
  /** Place of the load among those of its table: sequencer of the object, or number of the accepted job. */
  order: number
  /**
   * `done`: it was acknowledged, so the table shows it. `open`: nobody knows, so it happened once or not at all.
   * `refused`: it must not show.
   */
  state: 'done' | 'open' | 'refused'
}

export interface ExpectedTable {
  name: string
  /** Positions of the key's columns; empty: no key. */
  key: readonly number[]
  loads: readonly Load[]
}

/** `found` is undefined when there is no such table. Rows have no order. */
export const tableDifferences = (
  { name, key, loads }: ExpectedTable,
  found: readonly Row[] | undefined,
): string[] => {
  const possible = possibleContents(key, loads)
  const actual = contentOf(found ?? [])
  if (possible.has(actual)) return []
  const nearest = possible.get([...possible.keys()].at(-1) ?? '') ?? []
  return [
    `table ${name}: ${describeRows(found ?? [])}, expected ${describeRows(nearest)}` +
      `${possible.size > 1 ? ` or one of ${possible.size - 1} others` : ''} after ${describeLoads(loads)}`,
  ]
}

/** The fold of the loads in their order. Where one is open, the table with it and the table without it are both right. */
const possibleContents = (key: readonly number[], loads: readonly Load[]): Map<string, readonly Row[]> => {
  let possible = new Map<string, readonly Row[]>([['', []]])
  for (const load of [...loads].sort((one, other) => one.order - other.order)) {
    if (load.state === 'refused') continue
    const after = new Map(load.state === 'open' ? possible : [])
    for (const rows of possible.values()) {
      const loaded = apply(key, rows, load)
      after.set(contentOf(loaded), loaded)
    }
    possible = after
  }
  return possible
}

const apply = (key: readonly number[], before: readonly Row[], { mode, rows }: Load): readonly Row[] => {
  if (mode === 'full') return rows
  if (key.length === 0) return [...before, ...rows]
  const keyOf = (row: Row): string => JSON.stringify(key.map(position => row[position]))
  const known = new Set(rows.map(keyOf))
  return [...before.filter(row => !known.has(keyOf(row))), ...rows]
}

const contentOf = (rows: readonly Row[]): string =>
  rows
    .map(row => JSON.stringify(row))
    .sort()
    .join('\n')

const SHOWN = 12
const describeRows = (rows: readonly Row[]): string => {
  const shown = rows.slice(0, SHOWN).map(row => row.join(','))
  return `${rows.length} rows [${shown.join(' | ')}${rows.length > SHOWN ? ' …' : ''}]`
}
const describeLoads = (loads: readonly Load[]): string =>
  [...loads]
    .sort((one, other) => one.order - other.order)
    .slice(-SHOWN)
    .map(({ name, mode, state }) => `${name} (${mode}, ${state})`)
    .join(', ')

/** One write of a configuration or of one of its rows. */
export interface ConfigurationWrite {
  /** What tells this write from all others, and is found in the version that it made. */
  mark: string
  /** See `Load`. A write of which nobody knows may be there, but not twice unless it was sent twice. */
  state: 'done' | 'open' | 'refused'
  /** So often it was sent; default 1. */
  sent?: number
}

export interface FoundVersion {
  version: number
  mark: string
}

/**
 * Versions are 1 to n without a gap, each made by a write, each acknowledged write there, and the newest is the one
 * that the configuration shows.
 */
export const configurationDifferences = (
  name: string,
  writes: readonly ConfigurationWrite[],
  { current, versions }: { current: FoundVersion; versions: readonly FoundVersion[] },
): string[] => {
  const inOrder = [...versions].sort((one, other) => one.version - other.version)
  const numbers = inOrder.map(({ version }) => version)
  const newest = inOrder.at(-1)
  const isDense = numbers.every((version, index) => version === index + 1)
  const known = new Map(writes.map(write => [write.mark, write]))
  const counts = new Map<string, number>()
  for (const { mark } of inOrder) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  return [
    ...(isDense ? [] : [`configuration ${name}: versions ${numbers.join(', ')} are not dense`]),
    ...(newest?.version === current.version && newest.mark === current.mark
      ? []
      : [
          `configuration ${name}: shows version ${current.version} (${current.mark}), the newest is ` +
            `${newest?.version} (${newest?.mark})`,
        ]),
    ...writes.flatMap(write => countDifferences(name, write, counts.get(write.mark) ?? 0)),
    ...[...counts.keys()]
      .filter(mark => !known.has(mark))
      .map(mark => `configuration ${name}: ${mark} was written by nobody`),
  ]
}

const countDifferences = (name: string, { mark, state, sent = 1 }: ConfigurationWrite, count: number) => {
  const least = state === 'done' ? 1 : 0
  const most = state === 'refused' ? 0 : sent
  if (count >= least && count <= most) return []
  return [`configuration ${name}: ${mark} (${state}, sent ${sent} times) made ${count} versions`]
}

/** Of jobs after everything that starts them has had its time. */
export const jobDifferences = (jobs: readonly { id: number | string; status: string }[]): string[] =>
  jobs
    .filter(({ status }) => status !== 'success' && status !== 'error')
    .map(({ id, status }) => `job ${id} is ${status} for ever`)

/** Of the keys that are stored, after everything that removes left-overs has had its time. */
export const byteDifferences = (stored: readonly string[], referenced: ReadonlySet<string>): string[] => [
  ...stored.filter(key => !referenced.has(key)).map(key => `nothing refers to ${key}`),
  ...[...referenced].filter(key => !stored.includes(key)).map(key => `${key} is referred to and not there`),
]

/** An acknowledged file is there byte by byte; `found` is undefined when it is gone. */
export const fileDifferences = (
  name: string,
  written: Uint8Array,
  found: Uint8Array | undefined,
): string[] => {
  if (!found) return [`file ${name} is gone`]
  return Buffer.compare(written, found) === 0
    ? []
    : [`file ${name} differs: ${found.length} bytes, written were ${written.length}`]
}
