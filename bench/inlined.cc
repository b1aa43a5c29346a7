/*
 * A C++ program whose time is spent in functions that were inlined into each other: for SECONDS, two threads
 * sort, look up, match and sum up, below some levels of calls through std::function. Built by
 * unwind_report.sh with -O2 -g and without frame pointers.
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
#include <vector>

namespace
{

using Clock = std::chrono::steady_clock;

struct Item {
	int key;
	double weight;
	std::string name;
};

std::vector<Item> makeItems(std::mt19937 &random, std::size_t n)
{
	std::uniform_int_distribution<int> keys(0, 5000);
	std::vector<Item> items;

	for (std::size_t i = 0; i < n; i++)
		items.push_back({ keys(random), std::norm(std::complex<double>(i, keys(random))),
				  "item" + std::to_string(keys(random)) });
	return items;
}

double sortItems(std::vector<Item> items)
{
	std::sort(items.begin(), items.end(),
		  [](const Item &a, const Item &b) { return a.name < b.name; });
	std::stable_sort(items.begin(), items.end(),
			 [](const Item &a, const Item &b) { return a.key < b.key; });
	return std::accumulate(items.begin(), items.end(), 0.0,
			       [](double sum, const Item &item) { return sum + item.weight; });
}

double mapItems(const std::vector<Item> &items)
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

std::size_t matchItems(const std::vector<Item> &items)
{
	static const std::regex expression("item([0-9])[0-9]*\\1");

	return std::count_if(items.begin(), items.begin() + items.size() / 20,
			     [](const Item &item) {
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

double work(unsigned seed, Clock::time_point end)
{
	std::mt19937 random(seed);
	double sum = 0;

	while (Clock::now() < end) {
		auto items = makeItems(random, 500);

		sum += nest(random() % 12, [&] { return sortItems(items); });
		sum += nest(random() % 12, [&] { return mapItems(items); });
		sum += nest(random() % 12, [&] { return double(matchItems(items)); });
	}
	return sum;
}

} // namespace

int main(int argc, char **argv)
{
	auto end = Clock::now() +
		   std::chrono::duration_cast<Clock::duration>(
			   std::chrono::duration<double>(argc > 1 ? std::atof(argv[1]) : 1));
	double other = 0;
	std::thread second([&] { other = work(2, end); });
	double sum = work(1, end);

	second.join();
	std::cout << sum + other << '\n';
}
