import { join } from 'node:path'
import type { Feature } from './feature.ts'
import { ofManifests } from './features-of-manifests.ts'
import { ofPages } from './features-of-pages.ts'
import { ofRequests } from './features-of-requests.ts'
import { ofRows } from './features-of-rows.ts'

const groups: readonly (readonly Feature[])[] = [ofPages, ofRequests, ofRows, ofManifests].flatMap(all =>
  Object.values(all),
)

/** Each feature alone. */
export const single: readonly Feature[][] = groups.flatMap(group => group.map(feature => [feature]))

/** Two that were another together. */
const once = [
  ['Link header', 'a JSON body'],
  ['Link header', 'time in a JSON body'],
  ['whole address of the next page', 'a form'],
].map(names => single.flat().filter(({ name }) => names.includes(name)))

/** Those that `npm test` holds to what was recorded, too. What is sent is to be the same tomorrow. */
export const recordedOnes: readonly Feature[][] = [
  ...single.filter(([feature]) => feature?.isOfToday !== true),
  ...once,
]

export const nameOf = (features: readonly Feature[]): string => features.map(({ name }) => name).join(' + ')

/** Each two of different groups. */
export const pairs: readonly Feature[][] = groups.flatMap((group, index) =>
  groups
    .slice(index + 1)
    .flatMap(others => group.flatMap(one => others.map(other => [one, other])))
    .filter(pair => pair.every(({ isAlone }) => isAlone !== true)),
)

/** What Airbyte's own runtime does with each of them alone. */
export const recordedFile = join(import.meta.dirname, 'recorded.json')
