/* C++ with templates, lambdas, local classes and exceptions, for tests/cli/test_lines.sh. */
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace deep
{
template <int N> struct fold {
	template <class F> static inline int run(F &&f, int x)
	{
		return f(x) + fold<N - 1>::run(f, x + N);
	}
};

template <> struct fold<0> {
	template <class F> static inline int run(F &&f, int x)
	{
		return f(x);
	}
};

struct shape {
	virtual ~shape() = default;
	virtual double area() const = 0;
};

struct square : shape {
	double side;
	explicit square(double s) : side(s) {}
	double area() const override { return side * side; }
};

static int local_work(std::vector<int> &v)
{
	struct before {
		int bias;
		bool operator()(int a, int b) const { return (a ^ bias) < (b ^ bias); }
	};

	std::sort(v.begin(), v.end(), before{ 5 });
	return v.front();
}
} // namespace deep

template <class T> static std::string join(const T &items)
{
	std::string out;

	for (auto &item : items)
		out += item.second + ";";
	return out;
}

int main(int argc, char **argv)
{
	std::map<std::string, std::string> first;
	std::unordered_map<int, std::string> second;
	std::vector<std::unique_ptr<deep::shape>> shapes;
	std::vector<int> numbers(1000);

	std::iota(numbers.begin(), numbers.end(), argc);
	for (int i = 0; i < argc; i++) {
		std::string arg = argv[i];

		first[arg] += arg;
		second[i] = arg + "/" + std::to_string(i);
		shapes.push_back(std::make_unique<deep::square>(i));
	}
	std::function<int(int)> twice = [&](int x) { return x * 2 + (int)first.size(); };
	int sum = deep::fold<12>::run(twice, argc);

	sum += deep::fold<6>::run([&](int x) { return numbers[(size_t)x % numbers.size()]; }, 7);
	sum += deep::local_work(numbers);
	std::cout << sum << join(first) << join(second)
		  << std::accumulate(shapes.begin(), shapes.end(), 0.0,
				     [](double a, auto &s) { return a + s->area(); });
	try {
		numbers.at(100000);
	} catch (const std::out_of_range &e) {
		std::cerr << e.what();
	}
}
