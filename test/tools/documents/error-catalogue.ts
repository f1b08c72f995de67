import { areas } from '#lib/errors/catalogue.ts'
import { statusOf } from '#lib/errors/statuses.ts'

const row = ([code, sentence]: [string, string]): string => {
  const status = statusOf(code)
  return `| \`${code}\` | ${status === 400 ? '' : status} | ${cell(sentence)} |`
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

/** `docs/errors.md`: every error code with what it means. */
export const errorCatalogue = (): string =>
  [
    '# Errors',
    '',
    '<!-- Written by test/tools/documents/write-errors.ts from functions/lib/errors/catalogue.ts; a test fails when it is out of date. -->',
    '',
    'Codes are stable: programs may compare them. The message next to a code says more and may change. Which fields a reply',
    'has: [storage API](reference/storage-api.md#errors).',
    '',
    'The status is what the storage API answers with, 400 where none stands here. A code with 503 may work later: machines try again',
    'by themselves, clients do after the seconds in `Retry-After`. The message says what to do.',
    '',
    'Two families are not listed: `storage.http<status>`, when a storage service answered an error without a code, and',
    '`aws.<name>`, when a service of AWS had a fault that may pass. A job of another storage service keeps that service’s codes.',
    ...Object.entries<Record<string, string>>(areas).flatMap(([area, codes]) => [
      '',
      `## ${area}`,
      '',
      '| code | status | meaning |',
      '| --- | --- | --- |',
      ...Object.entries(codes).map(row),
    ]),
    '',
  ].join('\n')
