/*
 * A disk that forgets, for LD_PRELOAD (reliability.md 2.3 and 6): of each file below SHIM_DIR it keeps, beside it, a shadow as the
 * file was at its last successful sync. After a kill the shadows are what a power cut would have left.
 * And a disk that fails: while SHIM_DIR/.fail exists, writes there end with the errno that it holds as text.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The path of a descriptor's file, if that is a plain file below SHIM_DIR. */
static int ours(int fd, char *path, size_t size) {
	const char *dir = getenv("SHIM_DIR");
	char link[64];
	struct stat st;
	if (!dir) return 0;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, size - 1);
	if (n <= 0) return 0;
	path[n] = 0;
	return strncmp(path, dir, strlen(dir)) == 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
}

static void keep_shadow(int fd) {
	char path[512], shadow[600], partial[610], block[65536];
	ssize_t n;
	if (!ours(fd, path, sizeof path)) return;
	snprintf(shadow, sizeof shadow, "%s/.shadow-%s", getenv("SHIM_DIR"), strrchr(path, '/') + 1);
	snprintf(partial, sizeof partial, "%s.tmp", shadow);
	int in = open(path, O_RDONLY), out = open(partial, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t (*really)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
	while ((n = read(in, block, sizeof block)) > 0)
		if (really(out, block, n) != n) abort();
	close(in);
	close(out);
	rename(partial, shadow);
}

/* Sets errno and returns 1 while the disk fails. */
static int failing(int fd) {
	char path[512], file[600], text[16] = {0};
	if (!getenv("SHIM_FAILS") || !ours(fd, path, sizeof path)) return 0;
	snprintf(file, sizeof file, "%s/.fail", getenv("SHIM_DIR"));
	int in = open(file, O_RDONLY);
	if (in < 0) return 0;
	ssize_t n = read(in, text, sizeof text - 1);
	close(in);
	errno = n > 0 ? atoi(text) : EIO;
	return 1;
}

#define REAL(name) \
	static __typeof__(name) *really; \
	if (!really) really = dlsym(RTLD_NEXT, #name)

int fsync(int fd) {
	REAL(fsync);
	if (failing(fd)) return -1;
	int done = really(fd);
	if (done == 0 && !getenv("SHIM_FAILS")) keep_shadow(fd);
	return done;
}

int fdatasync(int fd) {
	REAL(fdatasync);
	if (failing(fd)) return -1;
	int done = really(fd);
	if (done == 0 && !getenv("SHIM_FAILS")) keep_shadow(fd);
	return done;
}

ssize_t write(int fd, const void *from, size_t size) {
	REAL(write);
	return failing(fd) ? -1 : really(fd, from, size);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
	REAL(pwrite);
	return failing(fd) ? -1 : really(fd, from, size, at);
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
	REAL(pwrite64);
	return failing(fd) ? -1 : really(fd, from, size, at);
}

int ftruncate(int fd, off_t size) {
	REAL(ftruncate);
	return failing(fd) ? -1 : really(fd, size);
}

int ftruncate64(int fd, off64_t size) {
	REAL(ftruncate64);
	return failing(fd) ? -1 : really(fd, size);
}
