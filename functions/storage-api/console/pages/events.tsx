import { type EventBody, eventBody } from '#lib/wire/event-body.ts'
import { query } from '../api-client.ts'
import { SearchForm } from '../forms.tsx'
import { List } from '../list.tsx'
import { Empty, Status, Time } from '../parts.tsx'
import { page } from '../route.ts'

const SHOWN = 50

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

export const eventPages = [
  page('/console/events', async ({ client, query: { q = '' } }) => {
    const events = await client.list(`events${query({ limit: SHOWN, q: q || CHANGES_ONLY })}`, eventBody)
    return {
      title: 'Events',
      body: (
        <>
          <SearchForm
            to="/console/events"
            q={q}
            label={
              <>
                Search, such as <code>type:error</code> or <code>objectId:in.c-main.orders</code>
              </>
            }
          />
          {q === '' && (
            <p class="hint">
              What only read something is left out; <code>event:storage.*</code> finds it, too.
            </p>
          )}
          <EventList events={events} />
        </>
      ),
    }
  }),
]
