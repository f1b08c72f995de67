import { note } from './book.ts'
import { type ApiCall, acknowledged, callApi, untilAcknowledged } from './client.ts'
import { markOf } from './rows.ts'
import type { Step } from './schedule.ts'
import type { StepContext } from './step-context.ts'

export const component = 'keboola.runner-config-test'

/** One configuration for all clients of a phase, so that its writers meet. */
export const sharedConfiguration = (phase: number): string => `soak${phase}`

const change = (
  { cloud, book }: StepContext,
  step: Step,
  repeat: number,
  callOf: (mark: string) => ApiCall,
): Promise<void> =>
  untilAcknowledged(cloud, async (facts, number) => {
    const mark = markOf(step.number, repeat, number)
    const writer = `client ${step.client}`
    const attempt = { mark, step: step.number, writer, isAcknowledged: false }
    note(book.changesOf(sharedConfiguration(book.phase)), attempt)
    acknowledged(await callApi(facts, callOf(mark)), [200, 201])
    attempt.isAcknowledged = true
  })

export const createConfiguration = async ({ cloud, book }: StepContext): Promise<void> => {
  const id = sharedConfiguration(book.phase)
  await untilAcknowledged(cloud, async facts => {
    const reply = await callApi(facts, {
      method: 'POST',
      path: `components/${component}/configs`,
      body: { configurationId: id, name: id, configuration: {} },
    })
    const isThere = reply.body?.code === 'configurationAlreadyExists'
    if (!isThere) acknowledged(reply, [201])
  })
}

export const writeConfiguration = async (context: StepContext, step: Step): Promise<void> => {
  const path = `components/${component}/configs/${sharedConfiguration(context.book.phase)}`
  for (let repeat = 0; repeat < step.repeats; repeat++)
    await change(context, step, repeat, mark => ({
      method: 'PUT',
      path,
      body: { configuration: { parameters: { mark } }, changeDescription: mark },
    }))
}

/** A row of the client's own in the configuration that all of them write. The first write makes it. */
export const writeRow = async (context: StepContext, step: Step): Promise<void> => {
  const { cloud, book } = context
  const rows = `components/${component}/configs/${sharedConfiguration(book.phase)}/rows`
  const rowId = `row${step.client}`
  for (let repeat = 0; repeat < step.repeats; repeat++) {
    const isThere = await untilAcknowledged(cloud, async facts => {
      const reply = await callApi(facts, { path: `${rows}/${rowId}` })
      return reply.status === 404 ? false : acknowledged(reply, [200]).status === 200
    })
    await untilAcknowledged(cloud, async (facts, number) => {
      const mark = markOf(step.number, repeat, number)
      const attempt = { mark, step: step.number, isAcknowledged: false }
      const body = { configuration: { parameters: { mark } }, changeDescription: mark }
      const value = note(book.valuesOf(`row ${rowId}`), { ...attempt })
      const made = note(book.changesOf(sharedConfiguration(book.phase)), {
        ...attempt,
        writer: `client ${step.client}`,
      })
      const reply = isThere
        ? await callApi(facts, { method: 'PUT', path: `${rows}/${rowId}`, body })
        : await callApi(facts, { method: 'POST', path: rows, body: { ...body, rowId, name: rowId } })
      // An earlier try, whose reply was lost, made it.
      if (!isThere && number > 1 && reply.status === 400) return
      acknowledged(reply, [200, 201])
      value.isAcknowledged = true
      made.isAcknowledged = true
    })
  }
}

export const postEvent = async ({ cloud, book }: StepContext, step: Step): Promise<void> => {
  await untilAcknowledged(cloud, async (facts, number) => {
    const mark = markOf(step.number, 0, number)
    const attempt = note(book.events, { mark, step: step.number, isAcknowledged: false })
    const body = { component: `soak.phase${book.phase}`, message: mark }
    acknowledged(await callApi(facts, { method: 'POST', path: 'events', body }), [201])
    attempt.isAcknowledged = true
  })
}
