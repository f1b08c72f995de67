import type { Job } from './schemas.ts'

const HOUR_MS = 3_600_000

interface Hour {
  /** ISO 8601. */
  start: string
  done: number
  failed: number
}

/** Jobs that were created in each of the last `count` hours, the current one last. */
export const jobsByHour = (jobs: readonly Job[], now: Date, count: number): Hour[] => {
  const last = Math.floor(now.getTime() / HOUR_MS)
  const hours = Array.from({ length: count }, (_, index) => ({
    start: new Date((last - count + 1 + index) * HOUR_MS).toISOString(),
    done: 0,
    failed: 0,
  }))
  for (const job of jobs) {
    const hour = hours[Math.floor(Date.parse(job.createdTime) / HOUR_MS) - (last - count + 1)]
    if (hour === undefined) continue
    if (job.status === 'error') hour.failed++
    else if (job.status === 'success') hour.done++
  }
  return hours
}
