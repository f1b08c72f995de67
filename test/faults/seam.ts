import type { S3Client } from '@aws-sdk/client-s3'
import { foreignCode } from '#lib/errors/codes.ts'
import { TransientError } from '#lib/errors/errors.ts'

/** What goes wrong with one call, `Before` it reaches the other side or `After` the other side has acted on it. */
export type Fault =
  /** The machine is gone: this call and all others fail until it is back. */
  | 'dieBefore'
  | 'dieAfter'
  /** This one call fails, and whoever made it lives. */
  | 'failBefore'
  | 'failAfter'
  /** This one call reaches the other side only when the seam lets it go on: whoever made it is late. */
  | 'stall'

export interface Call {
  /** Such as `S3.PutObjectCommand` or `http POST /v2/storage/…`. */
  name: string
  /** From 1 since the last plan. */
  number: number
  /** The same among the calls that change something; `undefined`: this one only reads. */
  write: number | undefined
  /** The command's input, or the request. */
  input: unknown
}

export type Plan = (call: Call) => Fault | undefined

/** Stands for a defect of the service: does with a call and its reply what correct code would not. */
export type Bend = (
  name: string,
  input: unknown,
  act: (input: unknown) => Promise<unknown>,
) => Promise<unknown>

/** Nobody can catch the death of a machine: this is an error that each step lets through. */
export class Died extends TransientError {
  constructor() {
    super(foreignCode('test.died'), 'died')
  }
}

/** The other side has acted, and half of what it said arrived. */
export class ReplyLost extends TransientError {
  constructor(name: string) {
    super(foreignCode('test.replyLost'), `Half a reply to ${name}`)
  }
}

/** What every call to another side passes: counts the calls, and lets one fail or the machine die as planned. */
export const createSeam = () => {
  let plan: Plan = () => undefined
  let number = 0
  let writes = 0
  let isDead = false
  let bend: Bend = (_name, input, act) => act(input)
  let stalled = Promise.withResolvers<void>()
  let released = Promise.withResolvers<void>()

  const seam = {
    /** From now on decides for each call what goes wrong with it. */
    follow: (next: Plan): void => {
      plan = next
      number = 0
      writes = 0
    },
    /** No faults any more, and the machine is back. */
    calm: (): void => {
      plan = () => undefined
      isDead = false
    },
    bendBy: (next: Bend): void => {
      bend = next
    },
    /** When a call has stalled. */
    whenStalled: (): Promise<void> => stalled.promise,
    /** Lets the calls go on that have stalled. */
    release: (): void => {
      released.resolve()
      stalled = Promise.withResolvers()
      released = Promise.withResolvers()
    },
    get isDead(): boolean {
      return isDead
    },

    call: async <Input, Result>(
      name: string,
      input: Input,
      act: (input: Input) => Promise<Result>,
    ): Promise<Result> => {
      if (isDead) throw new Died()
      number += 1
      const isWrite = !READS.test(name)
      if (isWrite) writes += 1
      const fault = plan({ name, number, write: isWrite ? writes : undefined, input })
      if (fault === 'dieBefore') isDead = true
      if (fault === 'dieBefore') throw new Died()
      if (fault === 'failBefore') throw unreachable(name)
      if (fault === 'stall') {
        stalled.resolve()
        await released.promise
      }
      // What bends a call gives it what it takes, and passes on what it gives.
      const [end] = await Promise.allSettled([bend(name, input, given => act(given as Input))])
      // A machine also dies after a call that the other side refused, and another call may have been its death meanwhile.
      if (fault === 'dieAfter') isDead = true
      if (isDead) throw new Died()
      if (end.status === 'rejected') throw end.reason
      if (fault === 'failAfter') throw new ReplyLost(name)
      return end.value as Result // Of the type that `act` resolves to.
    },

    /** All requests for objects pass the seam, outside of the SDK's own retries. */
    watch: (service: string, objects: S3Client): S3Client => {
      const send = objects.send.bind(objects) as (command: object, ...more: unknown[]) => Promise<unknown>
      const watched = (command: { input: unknown }, ...more: unknown[]) =>
        seam.call(`${service}.${command.constructor.name}`, command.input, input =>
          send(Object.assign(command, { input }), ...more),
        )
      return Object.assign(objects, { send: watched })
    },
  }
  return seam
}

export type Seam = ReturnType<typeof createSeam>

const unreachable = (name: string): TransientError =>
  new TransientError(foreignCode('test.fault'), `${name} did not answer`)

const READS = /^\w+\.(get|head|list|query|batchGet|scan)|^http (get|head) /i

/**
 * Dies at one call that changes something. As nothing gets through after a death, to die at a call that only reads is
 * to die after the last write before it.
 */
export const dieAt = (call: number, when: 'before' | 'after'): Plan => {
  const fault = when === 'before' ? 'dieBefore' : 'dieAfter'
  return ({ write }) => (write === call ? fault : undefined)
}
