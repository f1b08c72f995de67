import { runInNewContext } from 'node:vm'
import { didYouMean } from '../lib/errors/did-you-mean.ts'
import { UserError } from '../lib/errors/errors.ts'
import type { StorageClient } from '../lib/storage-client/storage-client.ts'
import { isTabbed, refusedName } from '../lib/table-engine/csv/file-forms.ts'
import { isTableIdForLoad, parseTableId } from '../lib/wire/storage-ids.ts'
import type { LandingRule } from './landing-rules.ts'

/** Where a landed object goes and how it is read. */
export interface LandingTarget {
  bucketId: string
  tableName: string
  /** `<bucketId>.<tableName>` */
  tableId: string
  /** Used when the table is created; an existing table keeps its own. */
  primaryKey: string[]
  incremental: boolean
  delimiter?: string | undefined
  enclosure?: string | undefined
  /** Given: the file has no header line. */
  columns?: string[] | undefined
  types?: 'text' | 'detect' | undefined
}

/**
 * The target of a key and the object's user metadata (lower-case names without `x-amz-meta-`).
 *
 * Throws `UserError` for a key that neither a rule nor the convention knows, and for metadata that makes no sense.
 * Source: docs/landing.md.
 */
export const landingTarget = (
  key: string,
  metadata: Readonly<Record<string, string>>,
  rules: readonly LandingRule[] = [],
  /** What the table says, by the words of metadata. */
  settings: Readonly<Record<string, string>> = {},
): LandingTarget => {
  const byRule = targetByRule(key, rules)
  const named = byRule ?? targetByConvention(key)
  const { bucketId, tableName } = splitTableId(named.tableId, key)
  return {
    primaryKey: [],
    incremental: false,
    ...(!byRule && isTabbed(key) && { delimiter: '\t' }),
    ...overridesOf(settings),
    ...named,
    ...overridesOf(metadata),
    bucketId,
    tableName,
    tableId: `${bucketId}.${tableName}`,
  }
}

/** The metadata of the object says most, then a rule, then the table. Throws `UserError`. */
export const targetOf = async (
  key: string,
  metadata: Readonly<Record<string, string>>,
  { rules, storage }: { rules: readonly LandingRule[]; storage: Pick<StorageClient, 'loadSettings'> },
): Promise<LandingTarget> => {
  const { tableId } = landingTarget(key, metadata, rules)
  return landingTarget(key, metadata, rules, await storage.loadSettings(tableId))
}

type NamedTarget = { tableId: string } & Partial<Omit<LandingTarget, 'tableId' | 'bucketId' | 'tableName'>>

const targetByRule = (key: string, rules: readonly LandingRule[]): NamedTarget | undefined => {
  for (const { match, tableId, ...settings } of rules) {
    const groups = groupsOf(key, match)
    if (groups === undefined) continue
    const filled = tableId.replace(/\{(\w+)\}/g, (placeholder, name) => groups[name] ?? placeholder)
    return { tableId: filled, ...definedOnly(settings) }
  }
  return undefined
}

/** Longer than any expression needs for 1,024 bytes of a key, unless it tries one part in very many ways. */
const LONGEST_MATCH_MS = 1_000

/**
 * The named groups of a key that a rule matches; `undefined`: it does not. Whoever uploads chooses the key, so that an expression which
 * backtracks must not hold the function.
 *
 * Error: `landing.keyNotRecognised` for one that takes too long.
 */
const groupsOf = (key: string, match: string): Record<string, string | undefined> | undefined => {
  try {
    const found: RegExpExecArray | null = runInNewContext(
      "new RegExp(match, 'u').exec(key)",
      { key, match },
      {
        timeout: LONGEST_MATCH_MS,
      },
    )
    return found === null ? undefined : (found.groups ?? {})
  } catch (cause) {
    // An error of the other context is no instance of our class
    if ((cause as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause
    throw new UserError(
      'landing.keyNotRecognised',
      `The landing rule "${match}" takes too long to look at the key "${key}". Write it without a repetition inside another, such as (a+)+.`,
      { cause },
    )
  }
}

/** How a file of data ends, in any case of letters. */
const EXTENSION = String.raw`\.(?:(?:csv|tsv|txt|json|jsonl|ndjson)(?:\.gz)?|parquet)$`

/** `<bucket id>/<table>.csv`, `<bucket id>/<table>/<anything>.csv`; or with another of these extensions. */
const CONVENTION = new RegExp(
  String.raw`^(?<bucketId>[^/]+)\/(?:(?<file>[^/]+)|(?<folder>[^/]+)\/.+)${EXTENSION}`,
  'isu',
)

const targetByConvention = (key: string): NamedTarget => {
  const groups = CONVENTION.exec(key)?.groups
  if (!groups) {
    const refused = refusedName(key)
    throw new UserError(
      'landing.keyNotRecognised',
      refused !== undefined
        ? `"${key}" ${refused}`
        : `Cannot tell the table from the key "${key}". Use <bucket id>/<table>.csv or <bucket id>/<table>/*.csv ` +
            '(.csv.gz, .tsv, .txt with tabs, .json, .jsonl, .parquet), as in.c-main/orders.csv, or add a landing rule.',
    )
  }
  return { tableId: `${groups['bucketId']}.${groups['file'] ?? groups['folder']}` }
}

/**
 * Why a key brings no file, such as a folder of the console of S3, `_SUCCESS` of Spark or `._orders.csv` of macOS; `undefined`: it does.
 * A name that begins with `_` and ends like a file of data is one.
 */
export const whyIgnored = (key: string): string | undefined => {
  if (key.endsWith('/')) return 'the key ends in "/", which marks a folder'
  const name = key.slice(key.lastIndexOf('/') + 1)
  if (name.startsWith('.') || (name.startsWith('_') && !new RegExp(EXTENSION, 'i').test(name)))
    return `"${name}" begins with "${name[0]}": a note of the program that wrote the files beside it`
  return undefined
}

const splitTableId = (tableId: string, key: string) => {
  const parts = isTableIdForLoad(tableId) ? parseTableId(tableId) : undefined
  if (!parts) {
    throw new UserError(
      'landing.invalidTableId',
      `The key "${key}" names the table "${tableId}", which is not a table id. A bucket id looks like in.c-main or ` +
        'out.c-main; a table name holds only letters, digits, dashes and underscores.',
    )
  }
  return { bucketId: parts.bucketId, tableName: parts.name }
}

const METADATA = ['primary-key', 'incremental', 'delimiter', 'enclosure', 'columns', 'types'] as const

type Metadata = Readonly<Record<string, string>>

const overridesOf = (metadata: Metadata): Omit<NamedTarget, 'tableId'> => {
  refuseMisspelt(metadata)
  return definedOnly({
    primaryKey: listOf(metadata, 'primary-key'),
    incremental: wordOf(metadata, 'incremental', FLAGS, '1 or 0'),
    // An empty header is one that was not meant; a tab is written as the two characters \t, which headers survive.
    delimiter: metadata['delimiter'] || undefined,
    enclosure: metadata['enclosure'] || undefined,
    columns: listOf(metadata, 'columns'),
    types: wordOf(metadata, 'types', TYPES, 'text or detect'),
  })
}

/** Other tools keep metadata of their own (`mtime`, `md5chksum`): only what is nearly one of ours is a mistake. */
const refuseMisspelt = (metadata: Metadata): void => {
  for (const name of Object.keys(metadata)) {
    if (METADATA.some(known => known === name)) continue
    const meant = didYouMean(name, METADATA)
    if (meant === undefined) continue
    throw new UserError(
      'landing.unknownMetadata',
      `The object's metadata "${name}" is not known. Did you mean "${meant}"? Upload it again with that.`,
    )
  }
}

const listOf = (metadata: Metadata, name: (typeof METADATA)[number]): string[] | undefined => {
  const text = metadata[name]
  const names = text?.split(',').map(entry => entry.trim())
  if (!names?.some(entry => entry !== '')) return undefined
  if (/[;|\t]/.test(text ?? ''))
    throw new UserError(
      'landing.invalidMetadata',
      `The object's metadata "${name}" is "${text}"; separate its columns by commas.`,
    )
  return names
}

const FLAGS = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])
const TYPES = new Map([
  ['text', 'text' as const],
  ['detect', 'detect' as const],
])

/** What a word means, in any case of letters. */
const wordOf = <Meaning>(
  metadata: Metadata,
  name: (typeof METADATA)[number],
  words: ReadonlyMap<string, Meaning>,
  must: string,
): Meaning | undefined => {
  const text = metadata[name] ?? ''
  const word = text.trim().toLowerCase()
  if (word === '' || words.has(word)) return words.get(word)
  throw new UserError(
    'landing.invalidMetadata',
    `The object's metadata "${name}" is "${text}"; it must be ${must}.`,
  )
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

const definedOnly = <T extends object>(value: T): Defined<T> =>
  // What is left after the filter has exactly the keys of T whose values are defined.
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Defined<T>
