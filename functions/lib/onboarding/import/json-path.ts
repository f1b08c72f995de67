import { toDataField } from '../detect/item-list.ts'
import type { ImportedStream } from './imported-source.ts'
import type { Report } from './report.ts'

/** A path of JSONPath without its root. */
export const bare = (path: string): string =>
  path
    .replace(/^\$\.?/, '')
    .replace(/\[['"]([^'"]+)['"]\]/g, '.$1')
    .replace(/\[(\d+|\*)\]/g, '.$1')
    .replace(/^\.|\.$/g, '')

/** The rows at a path, of which the last `[*]` says nothing. */
export const itemsAt = (given: string, path: string, report: Report): ImportedStream['items'] => {
  const plain = bare(given).replace(/(^|\.)\*$/, '')
  if (plain === '') return '.'
  if (!/[?@[]|\.\./.test(plain)) return toDataField(plain.split('.'))
  report.lost(path, `the path ${given}: rows are looked for in the answer`, 'rows')
  return undefined
}
