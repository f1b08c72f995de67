interface Waiting<Work, Result> {
  readonly work: Work
  readonly settle: PromiseWithResolvers<Result>
}

/**
 * Group commit: work under one key is done one group at a time, and all that waits meanwhile becomes the next group, in
 * the order in which it came. Within this process; a condition in the store still prevents two writes at once.
 *
 * `together` resolves to one result per piece of work. If it rejects, all of its group do.
 */
export const createGroups = <Work, Result>(
  maxGroup: number,
  together: (group: readonly [Work, ...Work[]]) => Promise<readonly PromiseSettledResult<Result>[]>,
) => {
  const queues = new Map<string, Waiting<Work, Result>[]>()

  const doGroup = async (group: readonly Waiting<Work, Result>[]): Promise<void> => {
    const [first, ...others] = group
    if (!first) return
    try {
      const results = await together([first.work, ...others.map(({ work }) => work)])
      for (const [index, { settle }] of group.entries()) {
        const result = results[index]
        if (result?.status === 'fulfilled') settle.resolve(result.value)
        else settle.reject(result?.reason)
      }
    } catch (error) {
      for (const { settle } of group) settle.reject(error)
    }
  }

  const empty = async (key: string, queue: Waiting<Work, Result>[]): Promise<void> => {
    while (queue.length > 0) await doGroup(queue.splice(0, maxGroup))
    queues.delete(key)
  }

  return (key: string, work: Work): Promise<Result> => {
    const settle = Promise.withResolvers<Result>()
    const queue = queues.get(key)
    if (queue) queue.push({ work, settle })
    else {
      const started = [{ work, settle }]
      queues.set(key, started)
      void empty(key, started)
    }
    return settle.promise
  }
}
