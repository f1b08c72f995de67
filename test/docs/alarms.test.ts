import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { alarmTexts } from '../infra/alarm-texts.ts'
import { synthesiseStack } from '../support/synthesise-stack.ts'

const PAGE = join(import.meta.dirname, '../../docs/operations.md')
const WITHOUT_HASH = /[0-9A-F]{8}$/

const documented = async () => {
  const [, section = ''] = /\n## Alarms\n([\s\S]*?)\n## /.exec(await readFile(PAGE, 'utf8')) ?? []
  return [...section.matchAll(/^\| (`.*`) \| (.*) \| (.*) \|$/gm)].map(([, names = '', means, toDo]) => ({
    ids: [...names.matchAll(/`(\w+)`/g)].map(([, id]) => id ?? ''),
    text: `${means} ${toDo}`,
  }))
}

it('every alarm of the stack is on the page of operations, with the words of its mail', async () => {
  const rows = (await documented()).flatMap(({ ids, text }) => ids.map(id => [id, text]))
  const alarms = alarmTexts(synthesiseStack()).map(([id, text]) => [id.replace(WITHOUT_HASH, ''), text])
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(alarms))
  expect(rows).toHaveLength(alarms.length)
})
