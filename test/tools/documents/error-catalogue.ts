import { areas } from '#lib/errors/catalogue/catalogue.ts'
import type { ErrorEntry } from '#lib/errors/catalogue/entry.ts'

const row = ([code, { status, meaning, remedy }]: [string, ErrorEntry]): string =>
  `| \`${code}\` | ${status ?? '–'} | ${cell(meaning)} | ${cell(remedy)} |`

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

/** `docs/errors.md`: every error code with what it means and what to do. */
export const errorCatalogue = (): string =>
  [
    '# Errors',
    '',
    '<!-- Written by test/tools/documents/write-errors.ts from functions/lib/errors/catalogue/; a test fails when it is out of date. -->',
    '',
    'Codes are stable: programs may compare them. The message next to a code says more and may change. Which fields a reply',
    'has: [storage API](reference/storage-api.md#errors).',
    '',
    'The status is what the storage API answers with. A code with 503 may work later: machines try again by themselves, clients',
    'do after the seconds in `Retry-After`. A code without a status is not made for replies: it is in results, events, dead',
    'letters, logs or on the terminal.',
    '',
    'Two families are not listed: `storage.http<status>`, when a storage service answered an error without a code, and',
    '`aws.<name>`, when a service of AWS had a fault that may pass. A job of another storage service keeps that service’s codes.',
    ...Object.entries<Record<string, ErrorEntry>>(areas).flatMap(([area, codes]) => [
      '',
      `## ${area}`,
      '',
      '| code | status | meaning | what to do |',
      '| --- | --- | --- | --- |',
      ...Object.entries(codes).map(row),
    ]),
    '',
  ].join('\n')
