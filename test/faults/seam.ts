import { TransientError } from '#lib/errors/errors.ts'

/** What goes wrong with one call, `Before` it reaches the other side or `After` the other side has acted on it. */
export type Fault =
  /** The machine is gone: this call and all others fail until it is back. */
  | 'dieBefore'
  | 'dieAfter'
  /** This one call fails, and whoever made it lives. */
  | 'failBefore'
  | 'failAfter'

export interface Call {
  /** Such as `S3.PutObjectCommand` or `http POST /v2/storage/…`. */
  name: string
  /** From 1 since the last plan. */
  number: number
}

export type Plan = (call: Call) => Fault | undefined

/** Nobody can catch the death of a machine: this is an error that each step lets through. */
export class Died extends TransientError {
  constructor() {
    super('test.died', 'died')
  }
}

/** The only part of an AWS client that is used here: its commands pass through functions that can be added to. */
export interface WatchedClient {
  middlewareStack: {
    // biome-ignore lint/suspicious/noExplicitAny: the types of the stack differ from client to client
    add: (middleware: any, options: any) => void
  }
}

/** What every call to another side passes: counts the calls, and lets one fail or the machine die as planned. */
export const createSeam = () => {
  let plan: Plan = () => undefined
  let number = 0
  let isDead = false

  const seam = {
    /** From now on decides for each call what goes wrong with it. */
    follow: (next: Plan): void => {
      plan = next
      number = 0
    },
    /** No faults any more, and the machine is back. */
    calm: (): void => {
      plan = () => undefined
      isDead = false
    },
    revive: (): void => {
      isDead = false
    },
    get isDead(): boolean {
      return isDead
    },
    get calls(): number {
      return number
    },

    call: async <Result>(name: string, act: () => Promise<Result>): Promise<Result> => {
      if (isDead) throw new Died()
      number += 1
      const fault = plan({ name, number })
      if (fault === 'dieBefore') isDead = true
      if (fault === 'dieBefore') throw new Died()
      if (fault === 'failBefore') throw unreachable(name)
      const result = await act()
      // Another call may have been the death of the machine meanwhile.
      if (fault === 'dieAfter') isDead = true
      if (isDead) throw new Died()
      if (fault === 'failAfter') throw unreachable(name)
      return result
    },

    /** All commands of the client pass the seam, outside of the SDK's own retries. */
    watch: <Client extends WatchedClient>(service: string, client: Client): Client => {
      client.middlewareStack.add(
        (next: (args: unknown) => Promise<unknown>, { commandName }: { commandName: string }) =>
          (args: unknown) =>
            seam.call(`${service}.${commandName}`, () => next(args)),
        { step: 'initialize', name: 'seam', priority: 'high' },
      )
      return client
    },
  }
  return seam
}

export type Seam = ReturnType<typeof createSeam>

const unreachable = (name: string): TransientError =>
  new TransientError('test.fault', `${name} did not answer`)

/** Dies at one call. */
export const dieAt = (call: number, when: 'before' | 'after'): Plan => {
  const fault = when === 'before' ? 'dieBefore' : 'dieAfter'
  return ({ number }) => (number === call ? fault : undefined)
}
