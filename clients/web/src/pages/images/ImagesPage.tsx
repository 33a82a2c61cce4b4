import { useNavigate, useSearch } from "@tanstack/react-router";
import { useImages } from "@/data";
import { FailureState } from "@/failure";
import { plural } from "@/format";
import type { Search } from "@/search";
import { Page } from "@/shell";
import { Button, Checkbox, EmptyState, SearchField, SkeletonRows } from "@/ui";
import { groupImages, isOutdated, type Repository } from "./images";
import { RepositoryRow } from "./RepositoryRow";

/** Images in use: repository, tag, digest, and who runs them. */
export default function ImagesPage() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const [text, behind] = [search["q"] ?? "", search["behind"] === "yes"];
  const set = (change: Search) => void navigate({ to: ".", search: (before: Search) => ({ ...before, ...change }), replace: true, resetScroll: false });
  const read = useImages({ text: repositoryOf(text), pageSize: 1000 }, { keepsPrevious: true });
  const images = read.data?.pages.flatMap((page) => page.images);
  const all = images && groupImages(images);
  const repositories = behind ? all?.filter(hasOutdated) : all;
  return (
    <Page title="Images">
      <div className="mb-3 flex flex-wrap items-center gap-4">
        <SearchField label="Filter images" placeholder="Repository" className="w-80 max-wide:w-full" value={text} onChange={(q) => set({ q })} />
        <Checkbox isSelected={behind} onChange={(isOn) => set({ behind: isOn ? "yes" : undefined })}>
          Only with versions behind the newest
        </Checkbox>
        {repositories && <span className="numbers text-dim">{plural(repositories.length, "repository", "repositories")}{read.hasNextPage && " so far"}</span>}
      </div>
      {read.error && <FailureState error={read.error} what="list images" onRetry={() => void read.refetch()} />}
      {read.isPending && <SkeletonRows />}
      {repositories?.length === 0 && <Nothing isFiltered={text !== "" || behind} onClear={() => set({ q: undefined, behind: undefined })} />}
      {repositories && repositories.length > 0 && (
        <div className="border-t border-line">
          {repositories.map((repository) => <RepositoryRow key={repository.name} repository={repository} startsOpen={repositories.length === 1} />)}
        </div>
      )}
      {read.hasNextPage && (
        <Button className="mt-3 self-center" isDisabled={read.isFetchingNextPage} onPress={() => void read.fetchNextPage()}>
          {read.isFetchingNextPage ? "Loading…" : "Show more"}
        </Button>
      )}
    </Page>
  );
}

/** The server compares repositories; a search result may bring a tag along. */
function repositoryOf(text: string): string {
  return text.trim().replace(/(@sha256:.*|:[^/]*)$/, "");
}

function hasOutdated(repository: Repository): boolean {
  return repository.versions.some((version) => isOutdated(version, repository));
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) return <EmptyState title="No image matches" action={<Button onPress={onClear}>Clear the filter</Button>} />;
  return <EmptyState title="No images are reported">Images appear when a runtime reports its first application.</EmptyState>;
}
