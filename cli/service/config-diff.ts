import type { VoidableDiff } from 'rfc6902/diff.js'
import type { z } from 'zod/mini'
import { UserError } from '../../functions/lib/errors/errors.ts'
import { JsonNumber } from '../../functions/lib/json/json-number.ts'
import { isContainer, isNumber, mapFields } from '../../functions/lib/json/json-value.ts'
import { versionBody } from '../../functions/lib/wire/configuration-body.ts'
import { path } from '../connect/api.ts'
import { type ServiceCall, serviceCommand } from '../connect/service-command.ts'
import { type FlagsOf, option } from '../shell/command.ts'
import { readJsonObject } from '../shell/read-json.ts'
import { parsePlace, placeOrRow, stored } from './config-place.ts'

const options = {
  from: option('<version>', 'older version (default: the one before the last)'),
  to: option('<version>', 'newer version (default: the last)'),
}

export const diff = serviceCommand({
  description: 'what a file would change, or what changed between two versions',
  args: { ...placeOrRow, '[file]': 'compare what is stored with this file (- for standard input)' },
  options,
  run: async (call, text, file?: string) => {
    const { out } = call
    const [before, after] = await sidesOf(call, text, file)
    const { createPatch, Pointer } = await import('rfc6902')
    const changes: Change[] = createPatch(before, after, diffNumbers).map(withoutSecret)
    const shown = withoutSecrets(before)
    out.show(changes, () => {
      if (changes.length === 0) out.line('No difference.')
      for (const change of changes) out.line(...lineOf(change, Pointer.fromJSON(change.path).get(shown)))
    })
  },
})

const sidesOf = async (
  { api, shell, flags: { from, to } }: ServiceCall<FlagsOf<typeof options>>,
  text: string,
  file: string | undefined,
): Promise<[before: unknown, after: unknown]> => {
  const { rowId, root, self } = parsePlace(text)
  if (file !== undefined) {
    if (from !== undefined || to !== undefined)
      throw new UserError('cli.usage', 'Compare with a file or between versions, not both.')
    const { configuration } = await api.get(self, stored)
    return [configuration, await readJsonObject(file, shell)]
  }
  if (rowId !== undefined)
    throw new UserError('cli.usage', 'Versions are those of the whole configuration: leave out the row.')
  const newer = to ?? String((await api.get(root, stored)).version)
  const older = from ?? String(Math.max(1, Number(newer) - 1))
  const version = async (number: string) =>
    comparable(await api.get(root + path`/versions/${number}`, versionBody))
  return Promise.all([version(older), version(newer)])
}

/** Numbers are other ones when their digits are; all else is compared as it is by default. */
const diffNumbers: VoidableDiff = (before, after, place) => {
  if (!(before instanceof JsonNumber || after instanceof JsonNumber)) return undefined
  const isSame = isNumber(before) && isNumber(after) && `${before}` === `${after}`
  return isSame ? [] : [{ op: 'replace', path: place.toString(), value: after }]
}

/** An operation of a JSON patch (RFC 6902). */
interface Change {
  op: string
  path: string
  value?: unknown
}

/**
 * Only what people set. Who set it and when always differs. Rows are an object by id, so that an added row does not look
 * like a change of all rows after it.
 */
const comparable = ({ isDeleted, rowsSortOrder, rows, ...root }: Version) => ({
  ...setByPeople(root),
  isDeleted,
  rowsSortOrder,
  rows: Object.fromEntries(rows.map(row => [row.id, setByPeople(row)])),
})
type Version = z.infer<typeof versionBody>
type SetByPeople = Pick<Version, 'name' | 'description' | 'configuration' | 'isDisabled'>

const setByPeople = ({ name, description, configuration, isDisabled }: SetByPeople) => ({
  name,
  description,
  configuration,
  isDisabled,
})

/** `+` added, `-` removed, `~` replaced. */
const lineOf = ({ op, path, value }: Change, before: unknown): [line: string, style: ChangeStyle] => {
  const was = JSON.stringify(before)
  if (op === 'add') return [`+ ${path}: ${JSON.stringify(value)}`, 'green']
  if (op === 'remove') return [`- ${path}${was === undefined ? '' : `: ${was}`}`, 'red']
  const now = JSON.stringify(value)
  const isHidden = was === undefined || was === now
  return [`~ ${path}: ${isHidden ? now : `${was} -> ${now}`}`, 'yellow']
}
type ChangeStyle = 'green' | 'red' | 'yellow'

const HIDDEN = '(secret)'

/** The document without the values of keys that begin with `#`, which are secrets, in clear or sealed. */
const withoutSecrets = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  return isContainer(value)
    ? mapFields(value, (item, key) => (key.startsWith('#') ? HIDDEN : withoutSecrets(item)))
    : value
}

/** The same of one change of a document (RFC 6902). */
const withoutSecret = (change: Change): Change => {
  if (change.value === undefined) return change
  const isSecret = change.path.split('/').some(part => part.startsWith('#'))
  return { ...change, value: isSecret ? HIDDEN : withoutSecrets(change.value) }
}
