import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openAnswerFile } from '#lib/extractor/requests/http/answer-file.ts'

it('reads of a damaged file what was written, or nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'answer-file-'))
  try {
    checkDamage(join(folder, 'kept'))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const checkDamage = (path: string): void => {
  const written = openAnswerFile(path)
  const bodies = ['first', 'second', 'first again'].map(text => Buffer.from(text))
  for (const [index, body] of bodies.entries())
    written.append({ key: index === 1 ? 'b' : 'a', etag: `"${index}"`, headers: { link: '<x>' } }, body)
  const good = readFileSync(path)
  const found = () => {
    const file = openAnswerFile(path)
    return ['a', 'b'].map(key => {
      const kept = file.find(key)
      const body = kept && file.body(kept)
      return body && `${kept.etag} ${JSON.stringify(kept.headers)} ${body}`
    })
  }
  const [a, b] = ['"2" {"link":"<x>"} first again', '"1" {"link":"<x>"} second']
  expect(found()).toEqual([a, b])
  for (let at = 0; at < good.length; at += 3) {
    const damaged = Buffer.from(good)
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x11, at)
    for (const content of [damaged, good.subarray(0, at)]) {
      writeFileSync(path, content)
      const [ofA, ofB] = found()
      expect([undefined, a, '"0" {"link":"<x>"} first']).toContain(ofA)
      expect([undefined, b]).toContain(ofB)
    }
  }
  writeFileSync(path, good.subarray(0, good.length - 1))
  openAnswerFile(path).append({ key: 'c', etag: '"c"', headers: {} }, Buffer.from('third'))
  expect(found()).toEqual(['"0" {"link":"<x>"} first', b])
  const third = openAnswerFile(path).find('c')
  expect(third && openAnswerFile(path).body(third)?.toString()).toBe('third')
}
