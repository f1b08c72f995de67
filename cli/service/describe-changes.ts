import type * as z from 'zod/mini'
import type { patchBody } from '../../functions/lib/wire/configuration-body.ts'

interface ChangeLine {
  line: string
  style: 'green' | 'red' | 'yellow'
}

/** One line for each change: `+` added, `-` removed, `~` replaced. */
export const describeChanges = (changes: z.infer<typeof patchBody>, before: unknown): ChangeLine[] =>
  changes.map(({ op, path, value }) => {
    const was = JSON.stringify(valueAt(before, path))
    if (op === 'add') return { line: `+ ${path}: ${JSON.stringify(value)}`, style: 'green' }
    if (op === 'remove') return { line: `- ${path}${was === undefined ? '' : `: ${was}`}`, style: 'red' }
    const now = JSON.stringify(value)
    return { line: `~ ${path}: ${was === undefined ? now : `${was} -> ${now}`}`, style: 'yellow' }
  })

/** JSON pointer (RFC 6901). `undefined` where there is nothing. */
const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (value, part) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, part)
          ? (value as Record<string, unknown>)[part] // An object has such a property; it was asked above.
          : undefined,
      document,
    )
