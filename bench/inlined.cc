/*
 * A C++ program whose time is spent in functions that were inlined into each other: for SECONDS, two threads
 * sort, look up, match and sum up, below some levels of calls through std::function, each in KINDS kinds, as
 * programs have many types. Built by unwind_report.sh with -O2 -g and without frame pointers.
 */
#include <algorithm>
#include <chrono>
#include <complex>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace
{

using Clock = std::chrono::steady_clock;

template <int Kind> struct Item {
	int key;
	double weight;
	std::string name;
};

template <int Kind> std::vector<Item<Kind>> makeItems(std::mt19937 &random, std::size_t n)
{
	std::uniform_int_distribution<int> keys(0, 5000);
	std::vector<Item<Kind>> items;

	for (std::size_t i = 0; i < n; i++)
		items.push_back({ keys(random), std::norm(std::complex<double>(i, keys(random))),
				  "item" + std::to_string(keys(random)) });
	return items;
}

template <int Kind> double sortItems(std::vector<Item<Kind>> items)
{
	std::sort(items.begin(), items.end(),
		  [](const auto &a, const auto &b) { return a.name < b.name; });
	std::stable_sort(items.begin(), items.end(),
			 [](const auto &a, const auto &b) { return a.key < b.key; });
	return std::accumulate(items.begin(), items.end(), 0.0,
			       [](double sum, const auto &item) { return sum + item.weight; });
}

template <int Kind> double mapItems(const std::vector<Item<Kind>> &items)
{
	std::map<std::string, std::vector<double>> byName;
	std::unordered_map<int, std::set<std::string>> byKey;
	double sum = 0;

	for (const auto &item : items) {
		byName[item.name].push_back(item.weight);
		byKey[item.key].insert(item.name);
	}
	for (auto &entry : byName) {
		std::nth_element(entry.second.begin(),
				 entry.second.begin() + entry.second.size() / 2,
				 entry.second.end());
		sum += entry.second[entry.second.size() / 2];
	}
	return sum + byKey.size();
}

template <int Kind> std::size_t matchItems(const std::vector<Item<Kind>> &items)
{
	static const std::regex expression("item([0-9])[0-9]*\\1");

	return std::count_if(items.begin(), items.begin() + items.size() / 20,
			     [](const auto &item) {
				     return std::regex_search(item.name, expression);
			     });
}

template <typename Work> double nest(int depth, const Work &work)
{
	std::function<double(int)> down = [&](int left) -> double {
		return left ? down(left - 1) + 1 : work();
	};

	return down(depth);
}

template <int Kind> double once(std::mt19937 &random)
{
	auto items = makeItems<Kind>(random, 500);

	return nest(random() % 12, [&] { return sortItems(items); }) +
	       nest(random() % 12, [&] { return mapItems(items); }) +
	       nest(random() % 12, [&] { return double(matchItems(items)); });
}

template <std::size_t... Kinds>
double work(unsigned seed, Clock::time_point end, std::index_sequence<Kinds...>)
{
	static constexpr double (*all[])(std::mt19937 &) = { once<Kinds>... };
	std::mt19937 random(seed);
	double sum = 0;

	while (Clock::now() < end)
		sum += all[random() % sizeof...(Kinds)](random);
	return sum;
}

} // namespace

int main(int argc, char **argv)
{
	auto end = Clock::now() +
		   std::chrono::duration_cast<Clock::duration>(
			   std::chrono::duration<double>(argc > 1 ? std::atof(argv[1]) : 1));
	double other = 0;
	std::make_index_sequence<KINDS> kinds;
	std::thread second([&] { other = work(2, end, kinds); });
	double sum = work(1, end, kinds);

	second.join();
	std::cout << sum + other << '\n';
}
