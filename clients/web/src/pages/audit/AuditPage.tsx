import type { AuditRecord } from "@contract/causeway/platform/v1/audit_service_pb";
import { useSearch } from "@tanstack/react-router";
import { Loaded, SameCommand } from "@/admin";
import { useAuditRecords } from "@/data/reads/platform";
import { formatCount, Time, useNow } from "@/format";
import type { Search } from "@/search";
import { Page, useDrawer } from "@/shell";
import { Button, Drawer, Table, type Column } from "@/ui";
import { EndMark, Subject } from "./Marks";
import { Filters, NoRecord } from "./Filters";
import { listCommand, requestOf } from "./filter";
import { methodName, methodWords } from "./methods";
import { RecordDetails } from "./RecordDetails";
import { VerifyButton } from "./VerifyButton";

/** Who did what, where, and how it ended; filters and the open record are in the URL. */
export default function AuditPage() {
  const search = useSearch({ strict: false }) as Search;
  const isPlatform = search["chain"] === "platform";
  return (
    <Page
      title="Audit"
      actions={<VerifyButton platform={isPlatform} />}
      drawer={(auditId, close) => (
        <Drawer title="Audit record" label="Audit record" onClose={close}>
          <RecordDetails auditId={auditId} platform={isPlatform} />
        </Drawer>
      )}
    >
      <Filters />
      <Records search={search} />
      <div className="mt-4 max-w-[80ch]"><SameCommand>{listCommand(search)}</SameCommand></div>
    </Page>
  );
}

function Records({ search }: { search: Search }) {
  const now = useNow();
  const read = useAuditRecords(requestOf(search, now), { interval: 15_000, keepsPrevious: true });
  const drawer = useDrawer();
  const columns = recordColumns(drawer.open);
  return (
    <Loaded read={read} what="list audit records">
      {({ pages }) => {
        const records = pages.flatMap((page) => page.records);
        if (records.length === 0 && !read.hasNextPage) return <NoRecord />;
        return (
          <div className={read.isPlaceholderData ? "opacity-60" : undefined}>
            <Table label="Audit records, newest first" columns={columns} rows={records} rowKey={(record) => record.auditId} isSelected={(record) => record.auditId === drawer.target} onOpen={(record) => drawer.open(record.auditId)} />
            <div className="flex items-center gap-3 pt-3 text-dim">
              <span role="status">{formatCount(records.length)} {read.hasNextPage ? "shown, there are older ones" : "records"}</span>
              {read.hasNextPage && <Button isDisabled={read.isFetchingNextPage} onPress={() => void read.fetchNextPage()}>Show older ones</Button>}
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

function recordColumns(open: (auditId: string) => void): readonly Column<AuditRecord>[] {
  return [
    { id: "time", title: "Time", width: "88px", cell: ({ intendedAt }) => <Time at={intendedAt} /> },
    { id: "who", title: "Who", cell: ({ subject }) => <Subject>{subject}</Subject> },
    {
      id: "what",
      title: "What",
      isHeader: true,
      cell: ({ auditId, method }) => (
        <button type="button" title={methodName(method)} className="rounded-control text-left text-accent hover:underline" onClick={() => open(auditId)}>
          {methodWords(method)}
        </button>
      ),
    },
    { id: "runtime", title: "Runtime", isSecondary: true, cell: ({ runtime }) => runtime },
    { id: "target", title: "Target", cell: ({ target }) => <span className="inline-block min-w-[18ch] break-words max-wide:min-w-0">{target}</span> },
    { id: "end", title: "End", cell: (record) => <EndMark record={record} /> },
  ];
}
