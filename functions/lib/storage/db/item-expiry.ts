import { type Item, itemExpiryName } from './item-table.ts'

const DAY_SECONDS = 86_400

/** What an item gets that counts for so many days from now on. */
export const expiringIn = (days: number, now: Date): { [itemExpiryName]: number } => ({
  [itemExpiryName]: secondsOf(now) + Math.round(days * DAY_SECONDS),
})

/** Whether an item does not count any more. It may stay in the table for days: DynamoDB deletes in its own time. */
export const isExpired = (item: Item, now: Date): boolean => {
  const expiry = item[itemExpiryName]
  return typeof expiry === 'number' && expiry <= secondsOf(now)
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000)
