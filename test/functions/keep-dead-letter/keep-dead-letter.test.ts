import { describe, expect, it } from 'vitest'
import failedImport from '#events/keep-dead-letter/failed-import.json' with { type: 'json' }
import { keepDeadLetterEvent } from '#functions/keep-dead-letter/event.ts'
import { keepDeadLetter } from '#functions/keep-dead-letter/keep-dead-letter.ts'
import { untilEnd } from '#support/until-end.ts'
import { asFunction } from '../../support/guard-writes.ts'
import { startStorageService } from '../../support/storage-service.ts'

const service = await untilEnd(startStorageService())

const keep = (change: { execution?: string; message?: string } = {}) => {
  const { execution = failedImport.letter.source.execution, message = 'wrong' } = change
  const letter = {
    ...failedImport.letter,
    source: { ...failedImport.letter.source, execution },
    failure: { code: 'invalidCsv', message },
  }
  const event = keepDeadLetterEvent.parse({ ...failedImport, letter })
  return asFunction('keep-dead-letter', () => keepDeadLetter(event, service.stores.deadLetters))
}

describe('a dead letter', () => {
  it('is kept once for an execution, however often it is reported', async () => {
    const [first, again, otherWords] = [await keep(), await keep(), await keep({ message: 'other' })]
    expect([again, otherWords]).toEqual([first, first])
    expect((await service.stores.deadLetters.get(first.id))?.failure.message).toBe('wrong')
  })

  it('has an id of its own for each of many executions that begin in one millisecond', async () => {
    const executions = Array.from({ length: 60 }, (_, index) => `arn:aws:states:x:1:execution:m:${index}`)
    const ids = await Promise.all(executions.map(async execution => (await keep({ execution })).id))
    expect(new Set(ids).size).toBe(60)
    const repeated = await Promise.all(executions.map(async execution => (await keep({ execution })).id))
    expect(repeated).toEqual(ids)
  })

  it.each([
    ['without its execution', { letter: { ...failedImport.letter, source: { machine: 'x' } } }],
    ['of another shape', { letter: { ...failedImport.letter, version: 2 } }],
    ['without its start', { startedAt: undefined }],
  ])('%s is refused', (_case, change) => {
    expect(keepDeadLetterEvent.safeParse({ ...failedImport, ...change }).success).toBe(false)
  })
})
