import { z } from 'zod'
import type { BucketDocuments } from '../lib/aws/bucket-documents.ts'
import type { ShareLimits } from '../lib/storage/jobs/job-shares.ts'
import { SHARES_PREFIX } from './names.ts'

const holders = z.array(z.string()).catch([])

interface RunSharesOptions {
  work: BucketDocuments
  limits: Pick<ShareLimits, 'runsPerToken' | 'runsPerProject'>
  /** Whether an execution is still under way: one that was stopped gives nothing back. */
  isRunning: (execution: string) => Promise<boolean>
}

/** Whose share is taken, and how large it is. */
interface Lack {
  whose: 'the token' | 'the project'
  most: number
}

export interface RunShares {
  /** Takes a place for an execution, or finds it taken. Resolves to what it has to wait for, if it has. */
  enter(tokenId: string, execution: string): Promise<Lack | undefined>
  leave(tokenId: string, execution: string): Promise<void>
}

const PROJECT = 'project'
const ATTEMPTS = 5

/**
 * Places of the runs that schedules have started, which no job counts: a document of the executions of each token, and one of those of the
 * project that are not the first of their tokens.
 */
export const createRunShares = ({ work, limits, isRunning }: RunSharesOptions): RunShares => {
  const change = async (of: string, make: (known: string[]) => Promise<string[] | undefined>) => {
    const key = `${SHARES_PREFIX}${of}.json`
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const stored = await work.read(key)
      const known = holders.parse(stored?.value ?? [])
      const made = await make(known)
      if (made === undefined || made === known) return made
      if (await work.offer(key, made, stored === undefined ? 'absent' : { etag: stored.etag })) return made
    }
    return undefined
  }

  /** The place of the execution from 0 on; `undefined`: there is none. */
  const take = async (of: string, most: number, execution: string): Promise<number | undefined> => {
    const taken = await change(of, async known => {
      if (known.includes(execution)) return known
      const [oldest = ''] = known
      const left = known.length < most || (await isRunning(oldest)) ? known : known.slice(1)
      return left.length < most ? [...left, execution] : undefined
    })
    return taken?.indexOf(execution)
  }

  const giveBack = (of: string, execution: string) =>
    change(of, async known =>
      known.includes(execution) ? known.filter(other => other !== execution) : undefined,
    )

  return {
    enter: async (tokenId, execution) => {
      const { runsPerToken, runsPerProject } = limits
      const place = await take(tokenId, runsPerToken, execution)
      if (place === undefined) return { whose: 'the token', most: runsPerToken }
      // Whoever has nothing under way waits for nobody.
      if (place === 0 || (await take(PROJECT, runsPerProject, execution)) !== undefined) return undefined
      return { whose: 'the project', most: runsPerProject }
    },

    leave: async (tokenId, execution) => {
      await giveBack(PROJECT, execution)
      await giveBack(tokenId, execution)
    },
  }
}
