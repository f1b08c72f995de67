import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { auditNames } from '#lib/storage/events/audit-event.ts'

it('the reference names every event of a change, and what it is about', () => {
  const reference = readFileSync('docs/reference/storage-api.md', 'utf8')
  const rows = reference.split('### Events of changes')[1]?.split('\n## ')[0]?.split('\n') ?? []
  for (const [name, { about }] of Object.entries(auditNames)) {
    const row = rows.find(line => line.startsWith(about === null ? '| nothing ' : `| \`${about}\` `))
    const written = [name, `…${name.slice(String(about).length)}`]
    expect([name, written.some(each => row?.includes(`\`${each}\``))]).toEqual([name, true])
  }
})
