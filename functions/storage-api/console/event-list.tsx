import type { EventBody } from '../../lib/wire/event-body.ts'
import { List } from './list.tsx'
import { Empty, Status, Time } from './parts.tsx'

/** What only looked at something says little: a page that is opened does it. */
export const CHANGES_ONLY = ['tableDetail', 'tableDataPreview', 'tablesListed', 'bucketsListed']
  .map(name => `-event:storage.${name}`)
  .join(' ')

export const EventList = ({ events }: { events: readonly EventBody[] }) => (
  <List
    caption="Events"
    of={events}
    empty={<Empty>Nothing has happened here yet.</Empty>}
    columns={[
      ['When', ({ created }) => <Time at={created} />],
      ['Kind', ({ type }) => <Status value={type} />],
      ['What', ({ message, event }) => [message, ' ', <code class="hint">{event}</code>], 'sentence'],
      ['Object', ({ objectId }) => objectId],
      ['Run', ({ runId }) => <span title={runId ?? ''}>{runId}</span>, 'cut'],
    ]}
  />
)
