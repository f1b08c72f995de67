/**
 * What must be true after any sequence of requests, kills and starts. Pure: attempts and what is seen go in, sentences
 * about what differs come out.
 */

/** One try of one write. Its mark is in what it wrote, and no other try has it. */
export interface Attempt {
  readonly mark: string
  readonly step: number
  /** The reply said that it is stored, or the storage lists it. An attempt without is there once or not at all. */
  isAcknowledged: boolean
}

export interface TableRow {
  readonly id: string
  readonly value: string
}

/** A load of a table: the file holds these rows. */
export interface Load extends Attempt {
  readonly rows: readonly TableRow[]
}

/** A load of a table with a primary key that several writers share. */
export interface SharedLoad extends Load {
  /** Replaces the table; otherwise each row replaces the one with its key. */
  readonly isFull: boolean
  /** Of a load through the API: the file of the service. */
  readonly fileId?: number
}

export interface Difference {
  readonly subject: string
  /** The step that wrote what is missing, doubled or wrong; the last one of the subject where no single one did. */
  readonly step: number
  readonly message: string
  /** `open`: work that is under way and may end. `final`: no work to come can undo it. Otherwise who knows. */
  readonly state?: 'open' | 'final'
}

export type Compare<Written extends Attempt, Seen> = (
  subject: string,
  attempts: readonly Written[],
  seen: Seen,
) => Difference[]

const lastStep = (attempts: readonly Attempt[]): number => attempts.at(-1)?.step ?? 0

const lastAcknowledged = (attempts: readonly Attempt[]): number =>
  attempts.findLastIndex(({ isAcknowledged }) => isAcknowledged)

const textOf = ({ id, value }: TableRow): string => `${id}=${value}`

/** One writer's full loads: the last that was acknowledged, or a later attempt. */
export const compareFull: Compare<Load, readonly TableRow[]> = (subject, attempts, seen) => {
  const from = lastAcknowledged(attempts)
  const allowed = attempts.slice(Math.max(from, 0))
  const rows = seen.map(textOf).sort().join('\n')
  if (allowed.some(load => load.rows.map(textOf).sort().join('\n') === rows)) return []
  if (from < 0 && seen.length === 0) return []
  const values = [...new Set(seen.map(({ value }) => value))].slice(0, 5).join(', ')
  const wanted = allowed.map(({ mark }) => mark).join(' or ')
  return [
    {
      subject,
      step: allowed[0]?.step ?? 0,
      message: `holds ${seen.length} rows of ${values || 'nobody'}; the last full load is ${wanted}`,
    },
  ]
}

/** Appends: each acknowledged load once, each other once or not at all, all of its rows or none. */
export const compareAppends: Compare<Load, readonly TableRow[]> = (subject, attempts, seen) => {
  const counts = new Map<string, number>()
  for (const row of seen) counts.set(textOf(row), (counts.get(textOf(row)) ?? 0) + 1)
  const differences = attempts.flatMap(({ rows, step, mark, isAcknowledged }): Difference[] => {
    const times = rows.map(row => counts.get(textOf(row)) ?? 0)
    for (const row of rows) counts.delete(textOf(row))
    const [first = 0] = times
    const isWhole = times.every(time => time === first)
    if (isWhole && (first === 1 || (first === 0 && !isAcknowledged))) return []
    const kind = isAcknowledged ? 'acknowledged' : 'not acknowledged'
    const isDoubled = times.some(time => time > 1)
    return [
      {
        subject,
        step,
        message: `the load ${mark} (${kind}) is there ${[...new Set(times)].join(' and ')} times`,
        ...(isDoubled && { state: 'final' }),
      },
    ]
  })
  const [unknown] = counts.keys()
  if (unknown !== undefined)
    differences.push({ subject, step: lastStep(attempts), message: `holds ${unknown}, which nobody wrote` })
  return differences
}

/** Keyed loads: for each key the last acknowledged value or that of a later attempt, and each key once. */
export const compareKeyed: Compare<Load, readonly TableRow[]> = (subject, attempts, seen) => {
  const writesOf = new Map<string, { value: string; attempt: Attempt }[]>()
  for (const attempt of attempts)
    for (const { id, value } of attempt.rows)
      writesOf.set(id, [...(writesOf.get(id) ?? []), { value, attempt }])
  const seenOf = new Map<string, string[]>()
  for (const { id, value } of seen) seenOf.set(id, [...(seenOf.get(id) ?? []), value])

  const differences: Difference[] = []
  for (const [id, writes] of writesOf) {
    const values = seenOf.get(id) ?? []
    seenOf.delete(id)
    const from = lastAcknowledged(writes.map(({ attempt }) => attempt))
    const allowed = writes.slice(Math.max(from, 0)).map(({ value }) => value)
    const isRight = values.length === 0 ? from < 0 : values.length === 1 && allowed.includes(values[0] ?? '')
    if (isRight) continue
    differences.push({
      subject,
      step: writes[Math.max(from, 0)]?.attempt.step ?? 0,
      message: `key ${id} holds ${values.join(' and ') || 'nothing'}; the last value is ${allowed.join(' or ')}`,
    })
  }
  for (const id of seenOf.keys())
    differences.push({
      subject,
      step: lastStep(attempts),
      message: `holds the key ${id}, which nobody wrote`,
    })
  return differences
}

export interface SeenVersion {
  readonly version: number
  /** The mark that this version's change carries; empty for one that is nobody's attempt. */
  readonly mark: string
}

/**
 * Versions of a configuration, in any order: 1, 2, 3 … without a gap, each acknowledged change once, each other at most
 * once. A writer's changes stand in the order of its requests.
 */
export const compareVersions: Compare<Attempt & { readonly writer: string }, readonly SeenVersion[]> = (
  subject,
  attempts,
  seen,
) => {
  const differences: Difference[] = []
  const differ = (step: number, message: string) =>
    differences.push({ subject, step, message, state: 'final' })
  const numbers = seen.map(({ version }) => version).sort((a, b) => a - b)
  const gap = numbers.findIndex((version, index) => version !== index + 1)
  if (gap >= 0) differ(lastStep(attempts), `version ${gap + 1} is ${numbers[gap]}: versions are not dense`)

  const versionsOf = new Map<string, number[]>()
  for (const { mark, version } of seen) versionsOf.set(mark, [...(versionsOf.get(mark) ?? []), version])
  const newestOf = new Map<string, number>()
  for (const { mark, step, writer, isAcknowledged } of attempts) {
    const versions = versionsOf.get(mark) ?? []
    if (versions.length > 1) differ(step, `the change ${mark} made the versions ${versions.join(', ')}`)
    if (isAcknowledged && versions.length === 0)
      differ(step, `the acknowledged change ${mark} has no version`)
    const [version] = versions
    if (version === undefined) continue
    if (version < (newestOf.get(writer) ?? 0))
      differ(step, `the change ${mark} is version ${version}, before an earlier change of ${writer}`)
    newestOf.set(writer, version)
  }
  return differences
}

/** Values of which one writer at a time sets one: the last acknowledged or a later attempt. */
export const compareValue: Compare<Attempt, string | undefined> = (subject, attempts, seen) => {
  const from = lastAcknowledged(attempts)
  const allowed = attempts.slice(Math.max(from, 0)).map(({ mark }) => mark)
  if (seen === undefined ? from < 0 : allowed.includes(seen)) return []
  return [
    {
      subject,
      step: attempts[Math.max(from, 0)]?.step ?? 0,
      message: `holds ${seen ?? 'nothing'}; the last value is ${allowed.join(' or ')}`,
    },
  ]
}

/** Things that are added one by one, such as events: each acknowledged one once, each other at most once. */
export const compareAdded: Compare<Attempt, readonly string[]> = (subject, attempts, seen) =>
  attempts.flatMap(({ mark, step, isAcknowledged }) => {
    const times = seen.filter(found => found === mark).length
    if (times === 1 || (times === 0 && !isAcknowledged)) return []
    return [{ subject, step, message: `${mark} is there ${times} times` }]
  })

/**
 * What an export of a growing table may hold: whole loads, none twice, nothing unknown. Which of those under way it
 * holds is its moment's.
 */
export const compareExport: Compare<Load, readonly TableRow[]> = (subject, attempts, seen) =>
  compareAppends(subject, attempts.map(asNotAcknowledged), seen)

const asNotAcknowledged = (load: Load): Load => ({ ...load, isAcknowledged: false })

/** With the storage's own list of what it holds, nothing is open: an attempt is in the list or never was. */
export const settle = <Written extends Attempt>(
  subject: string,
  attempts: readonly Written[],
  stored: ReadonlySet<string>,
): { attempts: Written[]; differences: Difference[] } => ({
  attempts: attempts
    .filter(({ mark }) => stored.has(mark))
    .map(attempt => ({ ...attempt, isAcknowledged: true })),
  differences: attempts
    .filter(({ mark, isAcknowledged }) => isAcknowledged && !stored.has(mark))
    .map(({ mark, step }) => ({
      subject,
      step,
      message: `the acknowledged object version ${mark} is not stored`,
    })),
})

/** Loads of several writers, full and keyed ones mixed, in their order: the table is exactly what they make. */
export const compareOrdered: Compare<SharedLoad, readonly TableRow[]> = (subject, inOrder, seen) => {
  let rows = new Map<string, string>()
  for (const load of inOrder) {
    if (load.isFull) rows = new Map()
    for (const { id, value } of load.rows) rows.set(id, value)
  }
  const wanted = [...rows].map(([id, value]) => `${id}=${value}`).sort()
  const found = seen.map(textOf).sort()
  if (wanted.join('\n') === found.join('\n')) return []
  const order = inOrder.slice(-6).map(({ mark, isFull }) => `${mark}${isFull ? ' (full)' : ''}`)
  const lost = wanted.filter(row => !found.includes(row)).slice(0, 5)
  const others = found.filter(row => !wanted.includes(row)).slice(0, 5)
  return [
    {
      subject,
      step: lastStep(inOrder),
      message: `lacks ${lost.join(', ') || 'nothing'}, and has ${others.join(', ') || 'nothing'} in its place; the last loads in order are ${order.join(', ')}`,
    },
  ]
}

/** Each acknowledged load is among those that were done, and none is there twice. */
export const compareDone: Compare<SharedLoad, readonly SharedLoad[]> = (subject, attempts, done) =>
  attempts.flatMap((load): Difference[] => {
    const times = done.filter(({ mark }) => mark === load.mark).length
    if (times === 1 || (times === 0 && !load.isAcknowledged)) return []
    return [{ subject, step: load.step, message: `the load ${load.mark} was done ${times} times` }]
  })
