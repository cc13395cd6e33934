# Links of README.md and CHANGELOG.md in an archive, which has the documentation as pages and its films as videos.
s#\[([^]]*)\]\(docs/[^)]*\.go\)#\1#g
s#!\[([^]]*)\]\(docs/([^)]*)\.gif\)#[\1](page/docs/\2.webm)#g
s#\]\(docs/([^)]*)README\.md#](page/docs/\1index.html#g
s#\]\(docs/([^)]*)\.md#](page/docs/\1.html#g
s#\]\(docs/#](page/docs/#g
s#\]\(CONTRIBUTING\.md#](page/docs/contributing.html#g
