import { z } from 'zod'
import type { Execution, Machines } from '#lib/cloud/machines.ts'
import type { Control, ControlRequest } from './control.ts'

const answered = z.object({
  result: z.unknown().optional(),
  name: z.string().optional(),
  message: z.string().optional(),
})

/** Times are texts on the way. */
const dates = z.object({ startDate: z.coerce.date().optional(), stopDate: z.coerce.date().optional() })

/** The same for another process of the owner. Errors have the names that the cloud gave them. */
export const controlOf = ({
  control,
  secretAccessKey,
}: {
  readonly control: string
  readonly secretAccessKey: string
}): Control => {
  const ask =
    (operation: ControlRequest['operation']) =>
    async (...given: readonly unknown[]): Promise<never> => {
      const reply = await fetch(control, {
        method: 'POST',
        headers: { authorization: `Bearer ${secretAccessKey}` },
        body: JSON.stringify({ operation, given }),
      })
      const { result, name, message } = answered.parse(await reply.json())
      if (!reply.ok) throw Object.assign(new Error(message), { name })
      return result as never // as the operation has it
    }
  const describe: Machines['describe'] = ask('describe')
  const list: Machines['list'] = ask('list')
  return {
    machines: {
      start: ask('start'),
      stop: ask('stop'),
      describe: async execution => {
        const found = await describe(execution)
        return found && { ...found, ...(dates.parse(found) as Pick<Execution, 'startDate' | 'stopDate'>) }
      },
      list: async (...given) => {
        const { executions, next } = await list(...given)
        return {
          executions: executions.map(each => ({ ...each, startDate: new Date(each.startDate) })),
          next,
        }
      },
    },
    readSecret: ask('readSecret'),
    putSecret: ask('putSecret'),
    callsOf: ask('callsOf'),
  }
}
