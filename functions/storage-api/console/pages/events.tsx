import { eventBody } from '#lib/wire/event-body.ts'
import { query } from '../api-client.ts'
import { CHANGES_ONLY, EventList } from '../event-list.tsx'
import { SearchForm } from '../forms.tsx'
import { page } from '../route.ts'

const SHOWN = 50

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
